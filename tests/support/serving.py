"""The whole server in this process, composed as `tesserae serve` does, on a free loopback port.

The clock and the store are a test's to choose. Every limit is off unless a test switches it on, and
a fault that the server logs fails the test that caused it.
"""

import asyncio
from collections.abc import AsyncIterator
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from typing import Any

from aiohttp import ClientSession
from tesserae_client import Client
from yarl import URL

from canvas.head import Head
from persistence.faulty import Faults, faulty
from persistence.ports import Item, Store
from server.access.identity import Role
from server.access.secret import Secret
from server.app import compose
from server.clock import Clock, SystemClock
from server.config import Settings
from server.config.values import Size
from server.founding import read_founding
from server.game.game import Game
from server.lifecycle import Lifecycle
from server.operator_log import OperatorLog
from server.phase import Phase
from server.telemetry.logs import get_logger
from server.telemetry.metrics import Metrics
from tests.support.foreign import BINARY, Foreign, dialled
from tests.support.http import Answer
from tests.support.memory_store import open_memory
from tests.support.sockets import WAIT_S, until

SECRET = Secret(b"0123456789abcdef" * 4)
NAME = "place#main"
BOARD = "api/games/place%23main"
OFF = {
    "cooldown_ms": 0,
    "address_budget": 0,
    "guests_per_address": 0,
    "max_connections_per_address": 0,
    "message_rate": 0,
    "http_rate": 0,
    "handshakes_per_second": 0,
    "presence_debounce_ms": 0,
    "stop_deadline": 10.0,
}


class RecordingLog:
    """Takes the place of the operator's log."""

    def __init__(self) -> None:
        self.errors: list[tuple[str, dict[str, Any]]] = []
        self.warnings: list[str] = []

    def error(self, event: str, **fields: Any) -> None:
        self.errors.append((event, fields))

    def warning(self, event: str, **fields: Any) -> None:
        self.warnings.append(event)

    def info(self, event: str, **fields: Any) -> None:
        """Not kept."""

    debug = info


class Serving:
    """A server that listens."""

    def __init__(self, lifecycle: Lifecycle, http: ClientSession, faults: Faults) -> None:
        self.faults = faults
        self.parts = lifecycle._parts
        self.services = self.parts.services
        self.log = RecordingLog()
        self.parts.log._log = self.log  # type: ignore[assignment]  # as much of a logger as is used
        self._http = http
        self._lifecycle = lifecycle
        self.exit_code = 0
        """What the stop is expected to give."""
        self._stopping: asyncio.Task[int] | None = None

    @property
    def port(self) -> int:
        return self.parts.listener.port

    @property
    def url(self) -> str:
        return f"ws://127.0.0.1:{self.port}/ws"

    @property
    def game(self) -> Game:
        game = self.services.games.get(NAME)
        assert game is not None
        return game

    @property
    def head(self) -> Head:
        return self.game.head

    @property
    def online(self) -> int:
        """Connections that are served."""
        return len(self.services.sessions)

    def token(self, user_id: str, *, ttl_s: int = 864_000) -> str:
        return self.services.authenticator.issue(
            user_id, user_id.title(), [Role.PLAYER], ttl_s=ttl_s
        )

    def dial(
        self, codec: str | None = BINARY, **options: Any
    ) -> AbstractAsyncContextManager[Foreign]:
        """Open a connection of a foreign client."""
        return dialled(self.url, codec, **options)

    def client(self, **options: Any) -> Client:
        """Make a client of our own library."""
        return Client(options.pop("url", self.url), **options)

    async def get(self, path: str, **headers: str) -> Answer:
        """Ask over HTTP."""
        url = URL(f"http://127.0.0.1:{self.port}/{path}", encoded=True)
        headers = {"Accept-Encoding": "identity", **headers}
        async with self._http.get(url, headers=headers) as response:
            return Answer(response.status, response.headers, await response.read())

    async def send(
        self, method: str, path: str, body: Any = None, *, token: str | None = None, **headers: str
    ) -> Answer:
        """Send JSON over HTTP, as whoever a token names."""
        url = URL(f"http://127.0.0.1:{self.port}/{path}", encoded=True)
        sent = {name.replace("_", "-"): value for name, value in headers.items()}
        bearer = {} if token is None else {"Authorization": f"Bearer {token}"}
        async with self._http.request(
            method, url, json={} if body is None else body, headers=sent | bearer
        ) as response:
            return Answer(response.status, response.headers, await response.read())

    async def canvas(self) -> bytes:
        """The packed board over HTTP."""
        return (await self.get(f"{BOARD}/canvas.bin")).body

    def stop_soon(self) -> None:
        """Begin to stop, as SIGTERM does; the end of the block waits for it."""
        if self._stopping is None:
            self._stopping = asyncio.create_task(self._lifecycle.stop())

    async def stopped(self) -> int:
        """Stop, and give the exit code."""
        self.stop_soon()
        assert self._stopping is not None
        return await self._stopping

    def gives_up(self) -> None:
        """Expect that what is pending is not committed before the stop: exit code 1."""
        self.exit_code = 1

    def history(self) -> AsyncIterator[list[Item]]:
        """All history items of the game, in pages."""
        return self.parts.stores.writing.journal.read(self.game.partitions)

    async def published(self) -> None:
        """Wait until all that was decided is published."""
        await until(lambda: self.game.replica.seq == self.head.seq)


def composed(
    *,
    store: Store | None = None,
    clock: Clock | None = None,
    held: str | None = None,
    **settings: Any,
) -> tuple[Lifecycle, Faults]:
    """A server that does not run yet; `held` is an operation of the store that waits."""
    size = settings.pop("size", (20, 10))
    given = Settings(host="127.0.0.1", port=0, size=Size(*size), **{**OFF, **settings})
    faults = Faults()
    if held is not None:
        faults.hold(held)
    kept = faulty(store or open_memory(), faults)
    founding = read_founding(given)
    log = OperatorLog(get_logger("server"), Phase(), Metrics())
    return compose(given, SECRET, founding, clock or SystemClock(), kept, log), faults


@asynccontextmanager
async def serving(*, ready: bool = True, **options: Any) -> AsyncIterator[Serving]:
    """Serve until the block ends. Not `ready`: the block begins as soon as the port is open."""
    lifecycle, faults = composed(**options)
    async with ClientSession(auto_decompress=False) as http:
        room = Serving(lifecycle, http, faults)
        starting = asyncio.create_task(lifecycle.start())
        await until(lambda: starting.done() if ready else room.port != 0)
        try:
            yield room
        finally:
            async with asyncio.timeout(WAIT_S):
                await starting
            exit_code = await room.stopped()
        assert room.log.errors == [], [fields.get("exc_info") for _, fields in room.log.errors]
        assert exit_code == room.exit_code
