"""A game in a data directory, for the commands that take something out of it."""

import asyncio
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

from server.cli.main import main
from tests.support.clock import FakeClock
from tests.support.runs import Lives, Run
from tests.support.stores import embedded

Cell = tuple[str, int, int, int]
"""User, x, y, color."""
BEGAN_MS = 1_760_000_000_000
PAINTED: tuple[Cell, ...] = (
    ("ann", 1, 1, 2),
    ("bob", 2, 1, 3),
    ("ann", 1, 1, 4),
    ("=cmd()", 19, 9, 5),
)


@asynccontextmanager
async def playing(data: Path, **options: Any) -> AsyncIterator[Run]:
    """A game that has its directory locked until the block ends."""
    async with embedded(data) as store:
        run = await Lives(store, FakeClock(wall_ms=BEGAN_MS)).start(**options)
        try:
            yield run
        finally:
            await run.die()


async def paint(run: Run, cells: Sequence[Cell] = PAINTED) -> None:
    """Place one pixel a second."""
    for user, x, y, color in cells:
        await run.place(x, y, color, user=user, address_key="secret")
        run.clock.advance(1000)


def painted(data: Path, cells: Sequence[Cell] = PAINTED) -> None:
    """Leave a painted game behind, grown to the left by 10."""

    async def fill() -> None:
        async with playing(data) as run:
            await paint(run, cells[:2])
            await run.snapshot()
            run.game.resize("left", 10)
            await run.publish()
            moved = [(user, x + 10, y, color) for user, x, y, color in cells[2:]]
            await paint(run, moved)

    asyncio.run(fill())


async def command(*words: str) -> int:
    """Run a command line beside what this loop does."""
    return await asyncio.to_thread(main, words)
