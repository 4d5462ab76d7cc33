"""A foreign client: websockets' own, which knows nothing of us but the pages of the protocol."""

import asyncio
import itertools
import struct
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from typing import Any

import orjson
from websockets.asyncio.client import ClientConnection, connect
from websockets.exceptions import ConnectionClosed
from websockets.typing import Subprotocol

from tests.support.follower import Follower
from tests.support.wire import Ack, Band, Pixels, decode_binary

GAME = "place#main"
BINARY, JSON = "tesserae.v1", "tesserae.v1.json"
PATIENCE_S = 20.0
LARGEST_MESSAGE = 64 * 1024 * 1024

_requests = itertools.count(1000)
"""Of all connections: two tabs of one user would else seem to send one placement again."""

Message = dict[str, Any] | Pixels | Band | Ack
Cell = tuple[int, int, int]


def place_frame(
    *cells: Cell, request: int = 7, channel: int = 1, generation: int = 0, op: int = 0x10
) -> bytes:
    """Build a binary frame of placements (x, y, color)."""
    records = [x | y << 13 | color << 26 for x, y, color in cells]
    return struct.pack(f"<BBHII{len(records)}I", op, 0, channel, request, generation, *records)


class Foreign:
    """One connection; what comes is handed to its follower and kept in `heard`."""

    def __init__(self, socket: ClientConnection, follower: Follower) -> None:
        self.socket = socket
        self.follower = follower
        self.heard: list[Message] = []
        self.token: str | None = None
        self._ids = 0

    async def hear(self) -> Message:
        """Take the next message."""
        async with asyncio.timeout(PATIENCE_S):
            return await self._hear()

    async def _hear(self) -> Message:
        data = await self.socket.recv()
        message = orjson.loads(data) if isinstance(data, str) else decode_binary(data)
        self.heard.append(message)
        self.follower.take(message)
        return message

    async def hear_until(self, wanted: Callable[[Message], bool]) -> Any:
        """Take messages up to the first that is wanted, and give that."""
        while True:
            message = await self.hear()
            if wanted(message):
                return message

    async def event(self, name: str) -> dict[str, Any]:
        """Take messages up to the event of that name."""
        found = await self.hear_until(lambda one: isinstance(one, dict) and _named(one, name))
        assert isinstance(found, dict)
        return found

    async def say(self, do: str, /, **fields: Any) -> int:
        """Send a command without waiting; its id."""
        self._ids += 1
        await self.socket.send(orjson.dumps({"do": do, "id": self._ids, **fields}).decode())
        return self._ids

    async def reply(self, command_id: int) -> dict[str, Any]:
        """Take messages up to the reply."""
        reply = await self.hear_until(
            lambda one: isinstance(one, dict) and one.get("re", "") == command_id
        )
        assert isinstance(reply, dict)
        return reply

    async def ask(self, do: str, /, **fields: Any) -> dict[str, Any]:
        """Send a command and take messages up to its reply."""
        return await self.reply(await self.say(do, **fields))

    async def play(self, *, since: dict[str, Any] | None = None, **fields: Any) -> dict[str, Any]:
        """Subscribe (as a guest unless told otherwise), watch the game and come to its present."""
        who = {} if {"token", "guest"} & set(fields) else {"guest": True}
        wish = {"game": GAME} if since is None else {"game": GAME, "since": since}
        reply = await self.ask("subscribe", **{"games": [wish], **who, **fields})
        if reply["ok"]:
            self.token = reply["you"].get("token", fields.get("token"))
            await self.in_step(reply["games"][0] if reply["games"] else {})
        return reply

    async def in_step(self, state: dict[str, Any]) -> None:
        """Take messages until what the state promised is here."""
        while state.get("resume") in {"events", "snapshot"} and self.follower.seq < state["seq"]:
            await self.hear()

    async def place(self, x: int, y: int, color: int, **fields: Any) -> dict[str, Any]:
        """Place by a command; its reply."""
        return await self.ask("place", **{"game": GAME, "x": x, "y": y, "color": color, **fields})

    async def put(self, *cells: Cell, **fields: Any) -> list[Ack]:
        """Place by a binary frame with a new request number; its acks by index."""
        fields.setdefault("request", next(_requests))
        await self.socket.send(place_frame(*cells, **fields))
        return await self.acks(len(cells))

    async def acks(self, count: int) -> list[Ack]:
        """Take messages up to so many acks; they come in the order of their frames' answers."""
        found: list[Ack] = []
        async with asyncio.timeout(PATIENCE_S):
            while len(found) < count:
                message = await self._hear()
                if isinstance(message, Ack):
                    found.append(message)
        return sorted(found, key=lambda ack: ack.index)

    async def in_step_by_checksum(self) -> bool:
        """Whether the followed board is the server's, at the very seq that it names."""
        reply = await self.ask("checksum", game=GAME)
        assert self.follower.board is not None
        assert self.follower.seq == reply["seq"]
        return self.follower.board.crc32() == int(reply["crc32"])

    async def end(self) -> tuple[dict[str, Any] | None, int | None]:
        """Take messages until the server has closed: its `closing`, and the close code."""
        closing = None
        try:
            while True:
                message = await self.hear()
                if isinstance(message, dict) and _named(message, "closing"):
                    closing = message
        except ConnectionClosed as closed:
            return closing, None if closed.rcvd is None else closed.rcvd.code


def _named(message: dict[str, Any], name: str) -> bool:
    return message.get("event") == name


@asynccontextmanager
async def dialled(
    url: str,
    codec: str | None = BINARY,
    *,
    follower: Follower | None = None,
    headers: dict[str, str] | None = None,
    greeted: bool = True,
    **options: Any,
) -> AsyncIterator[Foreign]:
    """Open a connection, take its `hello`, and close it at the end of the block."""
    async with connect(
        url,
        subprotocols=None if codec is None else [Subprotocol(codec)],
        additional_headers=headers,
        ping_interval=None,
        max_size=LARGEST_MESSAGE,
        max_queue=None,
        proxy=None,
        close_timeout=2,
        **options,
    ) as socket:
        client = Foreign(socket, follower or Follower())
        if greeted:
            hello = await client.hear()
            assert isinstance(hello, dict)
            assert (hello["event"], hello["protocol"]) == ("hello", 1)
        yield client
