"""`tesserae bots` as a person meets it: processes, Ctrl-C, exit codes and last words."""

import asyncio
import signal
from pathlib import Path

import pytest
from PIL import Image

from tests.support.processes import SCRIPT
from tests.support.serving import Serving, serving
from tests.support.sockets import until

pytestmark = pytest.mark.integration

PATIENCE_S = 40


async def start(*arguments: str) -> asyncio.subprocess.Process:
    return await asyncio.create_subprocess_exec(
        str(SCRIPT), "bots", *arguments,
        stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.STDOUT,
    )  # fmt: skip


async def ended(process: asyncio.subprocess.Process) -> tuple[int | None, str]:
    """The exit code and all that was said; one that does not end is killed."""
    try:
        async with asyncio.timeout(PATIENCE_S):
            said, _ = await process.communicate()
    except TimeoutError:
        process.kill()
        await process.wait()
        raise
    return process.returncode, said.decode()


async def interrupted(
    server: Serving, *arguments: str, by: signal.Signals = signal.SIGINT
) -> tuple[int | None, str]:
    """Start it, wait for its first pixels, press Ctrl-C."""
    process = await start(*arguments, "--url", server.url)
    await until(lambda: server.head.seq > 3)
    process.send_signal(by)
    return await ended(process)


@pytest.mark.parametrize("by", [signal.SIGINT, signal.SIGTERM])
async def test_a_signal_ends_in_order_with_a_verdict(by: signal.Signals) -> None:
    async with serving() as server:
        code, said = await interrupted(server, "walk", "3", "--rate", "20", by=by)
    assert code == 0, said
    assert "All 3 boards equal the server's" in said
    assert "Traceback" not in said


async def test_a_painting_that_is_not_done_says_so(tmp_path: Path) -> None:
    Image.new("RGB", (20, 10)).save(tmp_path / "black.png")
    async with serving() as server:
        picture = str(tmp_path / "black.png")
        code, said = await interrupted(server, "paint", picture, "--at", "0,0", "--bots", "1")
    assert code == 1, said
    assert "of 200 cells are not painted: run it again to go on" in said


async def test_a_painting_that_is_done_ends_by_itself(tmp_path: Path) -> None:
    Image.new("RGB", (20, 10)).save(tmp_path / "black.png")
    async with serving() as server:
        where = (str(tmp_path / "black.png"), "--at", "0,0", "--url", server.url)
        code, said = await ended(await start("paint", *where, "--once", "--rate", "100"))
    assert code == 0, said
    assert "done 200 of 200 cells (100.0 %)" in said
    assert "The board equals the server's" in said


async def test_a_script_plays_to_its_end(tmp_path: Path) -> None:
    scenario = tmp_path / "scene.toml"
    scenario.write_text(
        'seconds = 2\n[[group]]\nname = "a"\nway = "walk"\ncount = 2\nrate = 20\n'
        '[[group]]\nname = "b"\nway = "spectate"\ncount = 1\n'
    )
    async with serving() as server:
        code, said = await ended(await start("script", str(scenario), "--url", server.url))
    assert code == 0, said
    assert "a: All 2 boards" in said
    assert "b: The board equals" in said


async def test_a_scene_that_makes_no_sense_connects_to_nobody(tmp_path: Path) -> None:
    (tmp_path / "scene.toml").write_text("[[group]]\nname = 3\n")
    code, said = await ended(await start("script", str(tmp_path / "scene.toml")))
    assert code == 2
    assert "scene.toml:2: group[0].name" in said
