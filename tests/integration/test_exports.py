"""Exports beside a running server: of one moment while it is painted on, and never half."""

import asyncio
import re
from pathlib import Path
from typing import Any

import numpy as np
import orjson
import pytest
from numpy.typing import NDArray
from PIL import Image
from tesserae_client import Client

from canvas.palette import DEFAULT
from tests.support.processes import SCRIPT, ServerProcess, process, tesserae

pytestmark = pytest.mark.integration

FREE = ("--size", "40x30", "--cooldown-ms", "0", "--snapshot-pixels", "200")
PATIENCE_S = 60
FRAME = 64
ROUNDS = 40


async def paint(server: ServerProcess, rounds: int = ROUNDS) -> None:
    """Place some thousand pixels; each is confirmed."""
    async with Client(server.url) as player:
        await player.ready()
        for round_ in range(rounds):
            places = [
                player.place((round_ * 7 + n) % 40, n % 30, (round_ + n) % 16) for n in range(FRAME)
            ]
            await asyncio.gather(*places)


def entries_of(path: Path) -> list[dict[str, Any]]:
    return [orjson.loads(line) for line in path.read_bytes().splitlines()]


def rebuilt(entries: list[dict[str, Any]], seq: int) -> NDArray[np.uint8]:
    """The board that placements lead to."""
    cells = np.full((30, 40), 15, np.uint8)
    for entry in entries:
        if entry["seq"] <= seq:
            cells[entry["y"], entry["x"]] = entry["color"]
    return cells


def pictured(path: Path) -> NDArray[np.uint8]:
    known = {color.rgb: place for place, color in enumerate(DEFAULT.colors) if color is not None}
    with Image.open(path) as image:
        rgb = np.asarray(image.convert("RGB")).tolist()
    names = [["#{:02X}{:02X}{:02X}".format(*cell) for cell in row] for row in rgb]
    return np.array([[known[name] for name in row] for row in names], np.uint8)


async def test_what_is_exported_while_it_is_painted_on_is_of_one_moment(tmp_path: Path) -> None:
    data = tmp_path / "data"
    async with process(data, *FREE) as server:
        painting = asyncio.create_task(paint(server))
        pictures: list[tuple[Path, int]] = []
        for number in range(3):
            path = tmp_path / f"{number}.png"
            code, said = await tesserae("canvas", "export", "--data", str(data), "-o", str(path))
            assert code == 0, said
            told = re.search(r"at seq (\d+)", said)
            assert told
            pictures.append((path, int(told[1])))
        await painting
        history = tmp_path / "all.jsonl"
        words = ("history", "export", "--data", str(data), "-o", str(history))
        code, said = await tesserae(*words)
        assert code == 0, said
    entries = entries_of(history)
    assert [entry["seq"] for entry in entries] == list(range(1, ROUNDS * FRAME + 1))
    for path, seq in pictures:
        assert np.array_equal(pictured(path), rebuilt(entries, seq))


async def test_a_reader_that_has_enough_is_no_fault(tmp_path: Path) -> None:
    data = tmp_path / "data"
    async with process(data, *FREE) as server:
        await paint(server)
    running = await asyncio.create_subprocess_exec(
        *(str(SCRIPT), "history", "export", "--data", str(data), "--format", "jsonl"),
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
    )
    assert running.stdout is not None
    assert running.stderr is not None
    async with asyncio.timeout(PATIENCE_S):
        assert (await running.stdout.readline()).startswith(b'{"seq":1,')
        running._transport.get_pipe_transport(1).close()  # type: ignore[attr-defined]
        said = await running.stderr.read()
        await running.wait()
    assert (running.returncode, said) == (1, b"")
