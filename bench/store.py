"""The embedded store by itself: durable commits by batch, a lookup, reading all of it back."""

import asyncio
import random
import shutil
import tempfile
import time
from collections.abc import Awaitable, Callable
from pathlib import Path
from statistics import quantiles

from bench.results import Result, Row
from persistence.embedded.store import open_embedded
from persistence.ports import Item, Journal, Lookback, Rectangle

COUNT = 1_000_000
USERS = 2000
BATCHES = {1: 1000, 25: 25_000, 100: 100_000}
"""Batch size to how many items are committed so."""
LARGE_BATCH = 1000
LOOKUPS = 50


def run() -> Result:
    """Measure commits with fsync, lookups and a full read of a million items."""
    folder = Path(tempfile.mkdtemp(prefix="tesserae-bench-"))
    try:
        rows = asyncio.run(_measured(folder))
    finally:
        shutil.rmtree(folder)
    note = "items of 15 attributes; one caller that waits for each batch; one writer thread"
    return Result("store", rows, note)


async def _measured(folder: Path) -> list[Row]:
    chance, rows, seq = random.Random(7), list[Row](), 0
    async with open_embedded(folder, wall_ms=lambda: int(time.time() * 1000)) as store:
        for size, count in (*BATCHES.items(), (LARGE_BATCH, COUNT)):
            rows += await _commits(store.journal, chance, seq, size, count)
            seq += count
        rows += await _lookups(store.journal, chance)
        began, cpu = time.perf_counter(), time.process_time()
        async for page in store.journal.read(["HISTORY"]):
            seq -= len(page)
        assert seq == 0
        rows.append(Row("reading all items back", time.perf_counter() - began, "s", 4))
        rows.append(Row("reading all items back, CPU", time.process_time() - cpu, "s"))
    return rows


async def _commits(
    journal: Journal, chance: random.Random, seq: int, size: int, count: int
) -> list[Row]:
    seconds, cpu = list[float](), 0.0
    for first in range(seq + 1, seq + count + 1, size):
        items = [_item(number, chance) for number in range(first, first + size)]
        began, began_cpu = time.perf_counter(), time.process_time()
        await journal.commit(items)
        seconds.append(time.perf_counter() - began)
        cpu += time.process_time() - began_cpu
    goals = {1: (None, 3.0), LARGE_BATCH: (20_000, None)}.get(size, (None, None))
    cuts = quantiles(seconds, n=100)
    return [
        Row(f"items/s in batches of {size}", count / sum(seconds), "/s", goals[0], "higher"),
        Row(f"batches of {size}, CPU each item", 1e6 * cpu / count, "µs"),
        Row(f"batches of {size}, p50", 1e3 * cuts[49], "ms", goals[1]),
        Row(f"batches of {size}, p99", 1e3 * cuts[98], "ms"),
    ]


async def _lookups(journal: Journal, chance: random.Random) -> list[Row]:
    async def cell() -> object:
        x, y = chance.randrange(960), chance.randrange(540)
        return await journal.within(["HISTORY"], Rectangle(x, y, x, y), Lookback(limit=1))

    async def user() -> object:
        return await journal.by_user(_user(chance), Lookback(limit=100))

    async def area() -> object:
        return await journal.within(["HISTORY"], Rectangle(100, 100, 199, 199))

    return [
        Row("newest of a cell, p50", await _p50(cell), "ms"),
        Row("newest 100 of a user, p50", await _p50(user), "ms"),
        Row("newest 1,000 of 100 x 100 cells, p50", await _p50(area), "ms"),
    ]


async def _p50(call: Callable[[], Awaitable[object]]) -> float:
    seconds = []
    for _ in range(LOOKUPS):
        began = time.perf_counter()
        await call()
        seconds.append(time.perf_counter() - began)
    return 1e3 * sorted(seconds)[LOOKUPS // 2]


def _user(chance: random.Random) -> str:
    return f"guest-{chance.randrange(USERS):016x}"


def _item(seq: int, chance: random.Random) -> Item:
    return {
        "PK": "HISTORY",
        "SK": f"ts#{1_760_000_000_000 + seq // 20}#{seq:016d}-{3:06d}",
        "x_original": chance.randrange(960),
        "y_original": chance.randrange(540),
        "offset_x": 0,
        "offset_y": 0,
        "colorIndex": chance.randrange(16),
        "seq": seq,
        "fence": 3,
        "userId": _user(chance),
        "request": chance.getrandbits(32),
        "addressKey": f"{chance.randrange(USERS):032x}",
        "previous": chance.randrange(16),
        "costMs": 300_000,
        "index": 0,
    }
