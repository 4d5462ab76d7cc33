"""How long the loop keeps others waiting: the gaps that a task sees that wants to run each ms."""

import asyncio
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

EVERY = 0.001


@asynccontextmanager
async def gaps() -> AsyncIterator[list[float]]:
    """Gather during the block, in milliseconds beyond the one that was asked for."""
    seen: list[float] = []
    watching = asyncio.create_task(_watch(seen))
    try:
        yield seen
    finally:
        watching.cancel()
        await asyncio.gather(watching, return_exceptions=True)


async def _watch(seen: list[float]) -> None:
    while True:
        began = time.perf_counter()
        await asyncio.sleep(EVERY)
        seen.append(1e3 * (time.perf_counter() - began - EVERY))
