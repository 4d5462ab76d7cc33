"""Recovery of 1,000,000 history items with no snapshot: from the command to ready."""

import asyncio
import random
import shutil
import tempfile
import time
from pathlib import Path

from bench.results import Result, Row
from bench.serving import OPEN_FLAGS, serving
from canvas.events import PixelPlaced
from persistence.embedded.store import open_embedded
from server.game.history import to_item

COUNT = 1_000_000
BATCH = 5_000
FIRST_MS = 1_700_000_000_000


def run() -> Result:
    """Measure a start on a long history."""
    folder = Path(tempfile.mkdtemp(prefix="tesserae-bench-"))
    with serving(*OPEN_FLAGS, data=folder) as empty:
        bare = empty.ready_after
    shutil.rmtree(folder / "blobs", ignore_errors=True)
    asyncio.run(_fill(folder))
    with serving(*OPEN_FLAGS, data=folder) as server:
        took = server.ready_after
        cpu = server.cpu_seconds()
    shutil.rmtree(folder)
    return Result(
        "recovery",
        [
            Row("recovery of 1,000,000 items", took, "s", 10),
            Row("recovery, CPU", cpu, "s"),
        ],
        f"without a snapshot, from the command to ready; an empty start took {bare:.2f} s",
    )


async def _fill(folder: Path) -> None:
    chance = random.Random(7)
    async with open_embedded(folder, wall_ms=lambda: int(time.time() * 1000)) as store:
        for first in range(1, COUNT + 1, BATCH):
            items = [
                to_item(pixel(seq, chance), "HISTORY", 1) for seq in range(first, first + BATCH)
            ]
            await store.journal.commit(items)


def pixel(seq: int, chance: random.Random) -> PixelPlaced:
    """Make a placement of some user."""
    return PixelPlaced(
        seq=seq,
        at_ms=FIRST_MS + seq * 10,
        x=chance.randrange(960),
        y=chance.randrange(540),
        color=chance.randrange(16),
        generation=0,
        offset_x=0,
        offset_y=0,
        previous=15,
        user_id=f"user{chance.randrange(20_000)}",
        address_key=f"{chance.randrange(5_000):032x}",
        request=chance.getrandbits(32),
        index=0,
        cost_ms=300_000,
    )
