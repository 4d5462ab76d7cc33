"""A small server without sockets: real sessions, games and hub over a store in memory."""

import asyncio
import random
from collections import deque
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from typing import Any

import orjson

from canvas.address import AddressPolicy
from canvas.bans import Bans
from canvas.board import Board
from canvas.cooldown import CooldownRule
from canvas.geometry import Geometry
from canvas.growth import Lineage
from canvas.head import Head
from canvas.palette import DEFAULT
from canvas.settings import Settings
from persistence.faulty import Faults, faulty
from persistence.items import encoded_item
from persistence.tables import CONFIG
from server.access.auth import Authenticator
from server.access.entry import Everybody
from server.access.identity import Role
from server.access.limits import ConnectionLimits, CreditRule, GuestLimit
from server.access.renames import RenameLimit
from server.access.secret import Secret
from server.audience.connection_registry import ConnectionRegistry
from server.audience.presence_service import PresenceService
from server.audience.sessions import Sessions
from server.audience.watcher_counts import WatcherCounts
from server.commands.all import COMMANDS
from server.commands.dispatch import Dispatcher
from server.game.config import key_of
from server.game.game import Game, Games
from server.hosting.host import Host, HostEvents, HostSettings, Stores
from server.hosting.steward import Steward
from server.hub.hub import Hub, HubEvents, HubSettings
from server.phase import Phase
from server.recovery.recovery import RecoverySettings
from server.replica.replica import Replica
from server.replica.ring import Ring
from server.session.services import Services, SessionRules
from server.session.session import Session
from server.tasks import Tasks
from server.telemetry.metrics import Metrics
from server.wire.binary_v1 import BINARY_V1
from server.wire.codec import Codec, Stream
from server.wire.codes import CloseCode
from server.wire.json_v1 import JSON_V1
from tests.support.clock import FakeClock
from tests.support.connections import FakeConnection
from tests.support.games import NAME as GAME
from tests.support.memory_store import Rows, open_memory
from tests.support.wire import Ack, Band, Pixels, decode_binary

FENCE = 1
TEXT = 1
COMMIT = "journal.commit"


class Line(FakeConnection):
    """Delivers the client's messages as the transport does: in order, and not while held."""

    session: Session

    def __init__(self, connection_id: str, codec: Codec, remote: str) -> None:
        super().__init__(connection_id, codec=codec, remote=remote)
        self._waiting: deque[bytes | str] = deque()

    def release(self) -> None:
        super().release()
        asyncio.get_running_loop().call_soon(self._deliver)

    def receive(self, message: bytes | str) -> None:
        """Bring a message of the client."""
        self._waiting.append(message)
        self._deliver()

    def _deliver(self) -> None:
        while self._waiting and not self.holds and self.writable and not self.closing:
            message = self._waiting.popleft()
            if isinstance(message, str):
                self.session.text_received(message.encode())
            else:
                self.session.binary_received(message)

    def take(self) -> list[dict[str, Any] | Pixels | Band | Ack]:
        """Give what was written since the last time, decoded."""
        return [
            orjson.loads(frame.payload) if frame.opcode == TEXT else decode_binary(frame.payload)
            for frame in self.take_frames()
        ]


class Client:
    """A client of the world: says commands, hears answers."""

    def __init__(self, world: "World", connection: Line, session: Session) -> None:
        self.world = world
        self.connection = connection
        self.session = session
        self.token: str | None = None
        self._ids = 0

    @property
    def closed_with(self) -> CloseCode | None:
        return self.connection.close_code

    def send(self, message: Mapping[str, Any] | str | bytes) -> None:
        raw = message if isinstance(message, str | bytes) else orjson.dumps(message).decode()
        self.connection.receive(raw)

    def heard(self) -> list[Any]:
        return self.connection.take()

    async def ask(self, do: str, /, **fields: Any) -> dict[str, Any]:
        """Send a command and wait for its reply; whatever else is heard is dropped."""
        heard = await self.trace(do, **fields)
        (reply,) = [one for one in heard if isinstance(one, dict) and one.get("re") == self._ids]
        check_reply(do, reply)
        return reply

    async def trace(self, do: str, /, **fields: Any) -> list[Any]:
        """Send a command; give all that is heard until the world is quiet."""
        self._ids += 1
        self.heard()
        self.send({"do": do, "id": self._ids, **fields})
        await self.world.quiet()
        return self.heard()

    async def play(self, **fields: Any) -> dict[str, Any]:
        """Subscribe as a guest (unless told otherwise) and watch the game."""
        fields = {"guest": True, "games": [{"game": GAME}], **fields}
        reply = await self.ask("subscribe", **fields)
        self.token = reply.get("you", {}).get("token")
        return reply

    def hang_up(self) -> None:
        self.connection.closing = True
        self.session.closed()


class World:
    """The services, and the clients that joined."""

    def __init__(self, **options: Any) -> None:
        self.clock = FakeClock()
        # A game as recovery leaves it: served by whoever has this fence.
        key = key_of(GAME)
        served = {"PK": key.partition, "SK": key.sort, "fence": FENCE, "channel": 1}
        self.rows: Rows = {(CONFIG.name, key): encoded_item(served)}
        self.script = Faults()
        self.store = faulty(open_memory(self.clock.wall_ms, self.rows), self.script)
        self.phase = Phase()
        self.faults: list[tuple[str, Exception]] = []
        self.told: list[tuple[Any, ...]] = []
        self.bans = Bans()
        self.auth = Authenticator(
            Secret(b"s" * 32), self.clock.wall_ms, random.Random(options.get("seed", 7))
        )
        self.sessions = Sessions()
        self.games = Games()
        # Without a shortest tick, so that nothing waits for a clock that stands still.
        self.metrics = Metrics()
        self.hub = Hub(self.clock, HubSettings(tick_min=0.0), _deaf(), self.metrics.traffic)
        self.game = self._found(options)
        self.watcher_counts = WatcherCounts(
            self.games, self.hub, self.sessions, self.metrics.traffic.presence
        )
        self.tasks = Tasks()
        self.tasks.listen(lambda doing, fault: self.faults.append((doing, fault)))  # type: ignore[arg-type]
        self.host = self._host(options)
        self.services = self._services(options)
        self.clients: list[Client] = []
        self._dispatcher = Dispatcher(COMMANDS)

    def _host(self, options: Mapping[str, Any]) -> Host:
        settings = HostSettings(
            RecoverySettings(ring_events=1000, max_pending=20_000, policy=AddressPolicy(0, 0)),
            snapshot_every_ms=3_600_000,
            snapshot_every_events=1_000_000,
            max_open=options.get("max_open_games", 8),
            max_bytes=options.get("max_board_bytes", 1_000_000),
            idle_ms=options.get("game_idle_ms", 60_000),
        )

        def told(*about: Any) -> None:
            self.told.append(about)

        events = HostEvents(told, told, told, told, told, told)
        stores = Stores(self.store, self.store)
        return Host(
            stores, self.clock, settings, self.games, self.hub, self.bans, self.tasks, events
        )

    def _services(self, options: Mapping[str, Any]) -> Services:
        rate, burst = options.get("credits", (0, 0))
        return Services(
            clock=self.clock,
            phase=self.phase,
            rules=SessionRules(
                server="tesserae/0",
                ping_ms=20_000,
                max_message_bytes=16_384,
                credits=CreditRule(rate, burst),
                guests=options.get("guests", True),
            ),
            games=self.games,
            host=self.host,
            steward=Steward(self.host, self.clock, random.Random(5), 1),
            hub=self.hub,
            journal=self.store.journal,
            blobs=self.store.blobs,
            sessions=self.sessions,
            presence=PresenceService(
                self.store.tables,
                self.sessions,
                0.0,
                self.note_fault,
                self.metrics.traffic.presence,
            ),
            connection_registry=ConnectionRegistry(
                self.store.tables, self.clock.wall_ms, self.note_fault
            ),
            authenticator=self.auth,
            entry=options.get("entry", Everybody()),
            connection_limits=ConnectionLimits(*options.get("connections", (0, 0))),
            guest_limit=GuestLimit(options.get("guests_per_address", 0), self.clock.monotonic_ms),
            rename_limit=RenameLimit(self.clock.monotonic_ms),
            bans=self.bans,
            address_key=lambda address: f"key of {address}",
            metrics=self.metrics,
            on_fault=self.note_fault,
        )

    def _found(self, options: Mapping[str, Any]) -> Game:
        width, height = options.get("size", (20, 10))
        lineage = Lineage([Geometry(width, height)])
        rule = CooldownRule(options.get("cooldown_ms", 0), options.get("max_stack", 1))
        settings = Settings(DEFAULT, rule)
        board, ring = Board(width, height), Ring(0, 1000)
        replica = Replica(Stream(GAME, 1), "epoch", board, lineage, settings, ring)
        policy = AddressPolicy(0, options.get("address_budget", 0))
        head = Head(replica, settings, policy=policy, bans=self.bans)
        game = Game(replica, head, self.store.journal, FENCE, self.clock)
        self.games.add(game)
        self.hub.open(game)
        return game

    def note_fault(self, doing: str, fault: Exception) -> None:
        self.faults.append((doing, fault))

    def join(self, codec: Codec = BINARY_V1, remote: str = "192.0.2.1") -> Client:
        """Open a connection."""
        connection = Line(f"c{len(self.clients)}", codec, remote)
        session = Session(self.services, self._dispatcher)
        connection.session = session
        client = Client(self, connection, session)
        self.clients.append(client)
        session.opened(connection)
        return client

    def token(self, user_id: str, *, ttl_s: int = 3600) -> str:
        role = Role.ADMIN if user_id == "operator" else Role.PLAYER
        return self.auth.issue(user_id, user_id.title(), [role], ttl_s=ttl_s)

    async def quiet(self) -> None:
        """Let everything run that is due, threads included, until nothing moves any more."""
        await self._turns()
        working = [client.session._task for client in self.clients if client.session._task]
        await asyncio.gather(*working)
        await self._turns()
        for game in self.games:
            self.hub.flush(game)

    async def _turns(self) -> None:
        for _ in range(20):
            await asyncio.sleep(0)


def check_reply(do: str, reply: Mapping[str, Any]) -> None:
    """Hold a reply against the shape that its command declares."""
    command = COMMANDS.get(do)
    if command is not None and reply["ok"]:
        fields = {name: value for name, value in reply.items() if name not in {"re", "ok"}}
        command.reply.model_validate_json(orjson.dumps(fields))


def _deaf() -> HubEvents:
    def ignore(*_: object) -> None:
        """Hear nothing."""

    return HubEvents(ignore, ignore, ignore, ignore)


@asynccontextmanager
async def running(**options: Any) -> AsyncIterator[World]:
    """A world that takes placements, until the block ends."""
    world = World(**options)
    world.host.fence = FENCE
    await world.host.directory.load(world.clock.wall_ms())
    await world.services.presence.start()
    world.phase.ready()
    committing = asyncio.create_task(world.game.committer.run())
    try:
        yield world
    finally:
        for client in world.clients:
            if not client.connection.closing:
                client.hang_up()
        await world.quiet()
        world.script.release(COMMIT)
        await world.tasks.end()
        world.game.committer.stop()
        await committing
        assert world.faults == []


__all__ = ["BINARY_V1", "GAME", "JSON_V1", "Client", "World", "running"]
