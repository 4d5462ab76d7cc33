"""A bare client: one socket and no task, timer or queue, so that whatever grows is the server's."""

import asyncio
import socket
import struct
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from typing import Any

import orjson

from tests.support.foreign import BINARY, GAME
from tests.support.frames import client_frame
from tests.support.sockets import WAIT_S, upgrade_request
from tests.support.wire import Frame

TEXT = 1
CHUNK = 65_536
RESET = struct.pack("ii", 1, 0)


class Bare:
    """A socket that has connected; what it does not ask for it does not read."""

    def __init__(self, connected: socket.socket) -> None:
        self.socket = connected
        self.head = b""
        """Of the answer to the handshake."""
        self._data = b""

    async def send(self, data: bytes) -> None:
        """Send bytes, however long the server takes."""
        await asyncio.get_running_loop().sock_sendall(self.socket, data)

    async def say(self, do: str, **fields: Any) -> None:
        """Send a command without waiting."""
        await self.send(client_frame(TEXT, orjson.dumps({"do": do, "id": 1, **fields})))

    async def upgrade(self, *headers: str, codec: str = BINARY) -> None:
        """Become a WebSocket."""
        await self.send(upgrade_request(f"Sec-WebSocket-Protocol: {codec}", *headers))
        while b"\r\n\r\n" not in self._data:
            await self._read()
        self.head, _, self._data = self._data.partition(b"\r\n\r\n")
        assert self.head.startswith(b"HTTP/1.1 101 "), self.head

    async def subscribe(self, *, guest: bool = False, **fields: Any) -> None:
        """Watch the game from here on, without its board unless told otherwise."""
        games = fields.pop("games", [{"game": GAME, "snapshot": "none"}])
        await self.say("subscribe", guest=guest, wantsPresence=False, games=games, **fields)
        while True:
            frame = await self.frame()
            if frame.opcode == TEXT and orjson.loads(frame.payload).get("re") == 1:
                return

    async def frame(self) -> Frame:
        """Take the next frame."""
        while (frame := self._take()) is None:
            await self._read()
        return frame

    async def ended(self) -> bytes:
        """Read until the server has ended its side; all that came."""
        try:
            while True:
                await self._read()
        except ConnectionError:
            return self._data

    def close(self) -> None:
        """Hang up."""
        self.socket.close()

    def reset(self) -> None:
        """Go without a word, as a process that is killed."""
        self.socket.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, RESET)
        self.socket.close()

    async def _read(self) -> None:
        async with asyncio.timeout(WAIT_S):
            data = await asyncio.get_running_loop().sock_recv(self.socket, CHUNK)
        if not data:
            raise ConnectionError("the server has ended its side")
        self._data += data

    def _take(self) -> Frame | None:
        data = self._data
        if len(data) < 2:
            return None
        size, start = data[1], 2
        if size >= 126:
            start = 4 if size == 126 else 10
            size = int.from_bytes(data[2:start], "big")
        if len(data) < start or len(data) < start + size:
            return None
        self._data = data[start + size :]
        return Frame(data[0] & 0x0F, data[start : start + size])


async def connected(port: int, *, receive_buffer: int | None = None) -> Bare:
    """Connect; a small receive buffer makes a client that fills soon."""
    made = socket.socket()
    made.setblocking(False)
    if receive_buffer is not None:
        made.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, receive_buffer)
    await asyncio.get_running_loop().sock_connect(made, ("127.0.0.1", port))
    return Bare(made)


@asynccontextmanager
async def bare(
    port: int, *headers: str, receive_buffer: int | None = None, codec: str = BINARY
) -> AsyncIterator[Bare]:
    """Connect and become a WebSocket; hangs up at the end of the block."""
    client = await connected(port, receive_buffer=receive_buffer)
    try:
        await client.upgrade(*headers, codec=codec)
        yield client
    finally:
        client.close()


@asynccontextmanager
async def crowd(port: int, count: int, *headers: str) -> AsyncIterator[list[Bare]]:
    """So many at once."""
    async with AsyncExitStack() as lines:
        yield [await lines.enter_async_context(bare(port, *headers)) for _ in range(count)]
