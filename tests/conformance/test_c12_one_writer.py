"""C12: a second process on the same store refuses to write and says who holds it."""

import asyncio
import os
import sys
from pathlib import Path

import pytest

from persistence.errors import StoreInUse
from tests.support.stores import beside, embedded

ROOT = Path(__file__).parents[2]


async def second_process(data_dir: Path) -> asyncio.subprocess.Process:
    return await asyncio.create_subprocess_exec(
        sys.executable,
        *("-m", "tests.support.committing", str(data_dir), "1"),
        cwd=ROOT,
        stdout=asyncio.subprocess.PIPE,
    )


async def first_line(process: asyncio.subprocess.Process) -> str:
    assert process.stdout is not None
    return (await asyncio.wait_for(process.stdout.readline(), 30)).decode()


@pytest.mark.integration
async def test_c12_a_second_process_is_refused_and_told_the_holder(tmp_path: Path) -> None:
    async with embedded(tmp_path) as store:
        process = await second_process(tmp_path)
        said = await first_line(process)
        await process.wait()
        assert said.startswith("in use:")
        assert f"process {os.getpid()} on " in said
        assert await store.journal.count(["HISTORY"]) == 0


@pytest.mark.integration
async def test_c12_a_dead_process_holds_nothing(tmp_path: Path) -> None:
    process = await second_process(tmp_path)
    assert await first_line(process) == "ready\n"
    with pytest.raises(StoreInUse, match=f"process {process.pid} on "):
        async with embedded(tmp_path):
            pass
    async with beside(tmp_path) as reader:
        assert await reader.journal.count(["HISTORY"]) >= 0
    process.kill()
    await process.communicate()
    async with embedded(tmp_path) as store:
        assert await store.lease.acquire() == 2
