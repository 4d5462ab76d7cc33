"""What the store said is durable is there after SIGKILL, and nothing is half there."""

import asyncio
import random
import signal
import sys
from pathlib import Path

import pytest

from persistence.ports import Store
from tests.support.stores import beside, embedded

ROOT = Path(__file__).parents[2]
ROUNDS = 4
MAX_LINES = 400


async def killed_while_committing(data_dir: Path, batch: int, lines: int) -> tuple[int, int]:
    """Kill a committing process after so many lines; the last seq and blob that it told."""
    process = await asyncio.create_subprocess_exec(
        sys.executable,
        *("-m", "tests.support.committing", str(data_dir), str(batch)),
        cwd=ROOT,
        stdout=asyncio.subprocess.PIPE,
    )
    assert process.stdout is not None
    try:
        told = [await asyncio.wait_for(process.stdout.readline(), 30) for _ in range(lines)]
    finally:
        process.send_signal(signal.SIGKILL)
    told += (await process.stdout.read()).splitlines()[:MAX_LINES]
    await process.wait()
    seqs = [int(line) for line in told if line.strip().isdigit()]
    blobs = [int(line.split()[1]) for line in told if line.startswith(b"blob")]
    return max(seqs, default=0), max(blobs, default=0)


async def stored_seqs(store: Store) -> list[int]:
    return [item["seq"] async for page in store.journal.read(["HISTORY"]) for item in page]


@pytest.mark.chaos
@pytest.mark.parametrize("batch", [1, 40])
async def test_what_was_durable_survives_sigkill(tmp_path: Path, batch: int) -> None:
    chance = random.Random(batch)
    for fence in range(1, ROUNDS + 1):
        lines = chance.randrange(2, 40)
        last, last_blob = await killed_while_committing(tmp_path, batch, lines)
        async with beside(tmp_path) as reader:
            seqs = await stored_seqs(reader)
        assert seqs == list(range(1, len(seqs) + 1))
        assert last <= len(seqs) <= last + batch
        assert len(seqs) % batch == 0
        async with embedded(tmp_path) as store:
            assert await stored_seqs(store) == seqs
            assert await store.lease.acquire() == 2 * fence
            blob = await store.blobs.get("canvas/canvas.bin")
            assert blob is not None or last_blob == 0
            assert blob is None or int(blob.metadata["seq"]) >= last_blob
