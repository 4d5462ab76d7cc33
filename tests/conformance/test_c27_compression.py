"""C27 at its full scale: 2,000 sockets that offer compression, against a server of its own."""

import asyncio
import re
from contextlib import AsyncExitStack
from pathlib import Path

import psutil

from tests.support.bare import Bare, bare
from tests.support.probe import ask
from tests.support.processes import ServerProcess, process

OFFER = "Sec-WebSocket-Extensions: permessage-deflate; client_max_window_bits"
SOCKETS, AT_ONCE = 2_000, 100
EACH_BYTES = 14 * 1024
"""What an idle spectator may cost; with compression it would be some 64 KB."""
NOISE_BYTES = 2 * 1024 * 1024
"""Of an allocator; half of what they cost while they are there, each."""
OPEN = re.compile(r"^tesserae_connections\{codec=.*\} (\d+)", re.MULTILINE)
FLAGS = ("--max-connections-per-address", "0")


async def joined(server: ServerProcess, lines: AsyncExitStack) -> list[Bare]:
    """All of them, a hundred at a time; each offers compression, and watches."""
    everybody: list[Bare] = []
    while len(everybody) < SOCKETS:
        everybody += await asyncio.gather(*[one(server, lines) for _ in range(AT_ONCE)])
    return everybody


async def one(server: ServerProcess, lines: AsyncExitStack) -> Bare:
    client = await lines.enter_async_context(bare(server.port, OFFER))
    assert b"sec-websocket-extensions" not in client.head.lower()
    await client.subscribe()
    return client


async def open_connections(server: ServerProcess) -> int:
    found = OPEN.findall((await ask(server.port, "metrics")).text)
    assert found
    return sum(map(int, found))


async def wave(server: ServerProcess) -> tuple[int, int]:
    """They come, and are gone in one turn; resident bytes with them and after them."""
    resident = psutil.Process(server.pid).memory_info
    async with AsyncExitStack() as lines:
        everybody = await joined(server, lines)
        assert await open_connections(server) == SOCKETS
        with_them = resident().rss
        for client in everybody:
            client.reset()
    await nobody_left(server)
    return with_them, resident().rss


async def nobody_left(server: ServerProcess) -> None:
    async with asyncio.timeout(30):
        while await open_connections(server) > 0:
            continue


async def test_c27_two_thousand_that_offer_compression_get_none_and_leave_nothing(
    tmp_path: Path,
) -> None:
    async with process(tmp_path, *FLAGS) as server:
        async with AsyncExitStack() as lines:
            await one(server, lines)
        await nobody_left(server)
        base = psutil.Process(server.pid).memory_info().rss
        with_them, after = await wave(server)
        print(with_them - base, after - base)
        assert with_them - base <= SOCKETS * EACH_BYTES
        for _ in range(2):
            again, left = await wave(server)
            print(again - base, left - base)
            assert again <= with_them + NOISE_BYTES
            assert left <= after + NOISE_BYTES
