"""A client at a scripted server: the setting of most of the client's tests."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from random import Random
from typing import Any

from tesserae_client import Client, Event

from tests.support.fake_server import FakeGame, FakeServer, Peer, soon


@dataclass
class Table:
    """The server, its first line, the client, what it said and how long it slept."""

    server: FakeServer
    client: Client
    slept: list[float]
    heard: list[Event]
    peer: Peer = field(init=False)

    @property
    def game(self) -> FakeGame:
        return self.server.game

    async def in_step(self, peer: Peer) -> bool:
        """Ask the client to verify its board, and answer with the server's checksum."""
        verified = asyncio.create_task(self.client.verify())
        await peer.checksum(await peer.expect("checksum"))
        return await soon(verified)


@asynccontextmanager
async def table(
    game: FakeGame | None = None, /, *, joined: bool = True, **options: Any
) -> AsyncIterator[Table]:
    """Seat a client; with `joined` its first line has joined and its board is in step."""
    slept: list[float] = []
    heard: list[Event] = []

    async def sleep(delay_s: float) -> None:
        slept.append(delay_s)
        await asyncio.sleep(0)

    options.setdefault("on_event", heard.append)
    options.setdefault("on_pixels", heard.append)
    async with FakeServer(game) as server:
        client = Client(server.url, rng=Random(1), sleep=sleep, **options)
        async with client:
            seated = Table(server, client, slept, heard)
            if joined:
                seated.peer = await server.line()
                await seated.peer.join(
                    "snapshot" if options.get("track_board", True) else "current"
                )
                await soon(client.ready())
            yield seated
