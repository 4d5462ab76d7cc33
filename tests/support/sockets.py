"""Real sockets for tests: a listener on loopback, and what a client sends byte by byte."""

import asyncio
import itertools
import ssl
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field
from typing import Any

from aiohttp import web

from server.clock import SystemClock
from server.ports import Peer
from server.transport.door import Upgrades
from server.transport.handshake import Gate
from server.transport.listener import Listener
from server.transport.settings import TransportSettings
from tests.support.connections import FakePeer

KEY = "dGhlIHNhbXBsZSBub25jZQ=="
WAIT_S = 10


def upgrade_request(*headers: str, path: str = "/ws") -> bytes:
    """Build the head of a handshake."""
    lines = [
        f"GET {path} HTTP/1.1",
        "Host: 127.0.0.1",
        "Connection: Upgrade",
        "Upgrade: websocket",
        "Sec-WebSocket-Version: 13",
        f"Sec-WebSocket-Key: {KEY}",
        *headers,
    ]
    return "\r\n".join([*lines, "", ""]).encode()


async def until(condition: Callable[[], bool]) -> None:
    """Let the loop turn until something holds; fails when it never does."""
    async with asyncio.timeout(WAIT_S):
        while not condition():  # noqa: ASYNC110 - what is waited for has no event
            await asyncio.sleep(0.001)


@dataclass
class Listening:
    """A listener in a test, with everything that it was handed or has told."""

    listener: Listener
    peers: list[FakePeer]
    faults: list[Exception]
    port: int = 0
    make_peer: Callable[[], Peer] = FakePeer
    writers: list[asyncio.StreamWriter] = field(default_factory=list)

    @property
    def url(self) -> str:
        return f"ws://127.0.0.1:{self.port}/ws"

    async def dial(self) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
        """Connect without saying anything."""
        reader, writer = await asyncio.open_connection("127.0.0.1", self.port)
        self.writers.append(writer)
        return reader, writer

    async def ask(self, request: bytes) -> bytes:
        """Send bytes and read until the server has ended its side."""
        reader, writer = await self.dial()
        writer.write(request)
        async with asyncio.timeout(WAIT_S):
            return await reader.read()

    async def upgraded(self, *headers: str) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
        """Connect and upgrade."""
        reader, writer = await self.dial()
        writer.write(upgrade_request(*headers))
        async with asyncio.timeout(WAIT_S):
            head = await reader.readuntil(b"\r\n\r\n")
        assert head.startswith(b"HTTP/1.1 101 "), head
        return reader, writer


OPEN_GATE = Gate(admit=lambda: None, address_of=lambda peer, _forwarded: peer)


@asynccontextmanager
async def listening(
    *,
    gate: Gate = OPEN_GATE,
    settings: TransportSettings | None = None,
    make_peer: Callable[[], FakePeer] = FakePeer,
    clock: Any = None,
    tls: Callable[[], ssl.SSLContext] | None = None,
) -> AsyncIterator[Listening]:
    """A listener with an HTTP side that says hello, on a free port of loopback."""
    peers: list[FakePeer] = []
    faults: list[Exception] = []

    def new_peer() -> FakePeer:
        peers.append(make_peer())
        return peers[-1]

    app = web.Application()
    app.router.add_route("*", "/{path:.*}", _hello)
    runner = web.AppRunner(app, access_log=None)
    await runner.setup()
    assert runner.server is not None
    numbers = itertools.count(1)
    listener = Listener(
        make_http=runner.server,
        upgrades=Upgrades(gate, lambda: f"c{next(numbers)}", new_peer),
        clock=clock or SystemClock(),
        on_fault=faults.append,
        settings=settings or TransportSettings(),
        tls=tls,
    )
    await listener.start("127.0.0.1", 0)
    room = Listening(listener, peers, faults, listener.port)
    try:
        yield room
    finally:
        listener.stop()
        await runner.cleanup()
        for writer in room.writers:
            writer.close()
            with suppress(OSError):
                await writer.wait_closed()
        await until(lambda: not listener.live)


async def _hello(request: web.Request) -> web.Response:
    body = await request.read()
    return web.Response(text=f"{request.method} {request.path_qs} {len(body)}")
