"""A fake server that plays fair by itself: it admits everyone, accepts every pixel, tells all."""

import asyncio
from contextlib import asynccontextmanager
from typing import Any

from websockets.exceptions import ConnectionClosed

from tests.support.fake_server import FakeServer, Peer


@asynccontextmanager
async def fair_server(server: FakeServer):
    """Serve all lines until the end of the block; yields the peers, the dead ones too."""
    peers: list[Peer] = []
    tasks: set[asyncio.Task[None]] = set()

    async def accept() -> None:
        while True:
            peer = await server.next_line()
            peers.append(peer)
            tasks.add(asyncio.create_task(_serve(peer, peers)))

    accepting = asyncio.create_task(accept())
    yield peers
    for task in (accepting, *tasks):
        task.cancel()
    await asyncio.wait([accepting, *tasks])


async def _serve(peer: Peer, peers: list[Peer]) -> None:
    try:
        await peer.join()
        while True:
            await _answer(peer, await peer.receive(patience_s=None), peers)
    except ConnectionClosed:
        if peer in peers:
            peers.remove(peer)


async def _answer(peer: Peer, command: dict[str, Any], peers: list[Peer]) -> None:
    if command["do"] == "checksum":
        await peer.checksum(command)
        return
    if command["do"] == "watchGames":
        watching = [other for other in peers if other is not peer]
        peers[:] = watching
        await peer.reply(command, games=[])
        return
    if command["do"] == "resync":
        await peer.reply(command, **peer.game.state("snapshot"))
        await peer.snapshot()
        return
    for index, (x, y, color) in enumerate(command["cells"]):
        seq = peer.game.place(x, y, color)
        for other in list(peers):
            await other.pixels(seq, seq)
        await peer.ack(command, seq, (x, y, color), index=index)
