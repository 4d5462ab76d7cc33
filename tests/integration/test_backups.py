"""The commands of the how-to, beside a server on which people play."""

import re
import subprocess
from pathlib import Path

import pytest
from tesserae_client import Client, Placed

from tests.support.processes import SCRIPT, ServerProcess, process
from tests.support.source import read

pytestmark = pytest.mark.integration

SIZE = ("--size", "64x64", "--cooldown-ms", "0", "--snapshot-pixels", "20")


def recipe(beginning: str) -> str:
    """The block of commands of the page that begins so, with the program of the checks."""
    page = read("docs/how-to/backups.md")
    found = re.search(rf"^```sh\n(\.venv/bin/{beginning}.*?)^```", page, re.MULTILINE | re.DOTALL)
    assert found is not None
    return found[1].replace(".venv/bin/tesserae", str(SCRIPT))


def run(folder: Path, commands: str) -> str:
    done = subprocess.run(
        ["bash", "-euo", "pipefail", "-c", commands],
        cwd=folder,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert done.stderr == ""
    return done.stdout


async def place(client: Client, first: int, count: int) -> None:
    for number in range(first, first + count):
        assert isinstance(await client.place(number % 64, number // 64, number % 16), Placed)


async def test_a_backup_is_made_tried_and_put_back(tmp_path: Path) -> None:
    async with process(tmp_path / "data", *SIZE) as server, Client(server.url) as client:
        await client.ready()
        await place(client, 0, 50)
        assert "Everything in copy is sound." in run(tmp_path, recipe("tesserae backup copy"))
        before = client.board.colors.copy()
        await place(client, 50, 30)
        assert await server.stop() == 0
    tried = recipe("tesserae store check").splitlines()[0]
    assert "Everything in copy is sound." in run(tmp_path, tried)
    assert "goes on at seq 50" in run(tmp_path, recipe("tesserae epoch new"))
    async with process(tmp_path / "copy", *SIZE) as server, Client(server.url) as client:
        await client.ready()
        assert (client.board.colors == before).all()


async def test_the_last_ones_are_kept(tmp_path: Path) -> None:
    async with process(tmp_path / "data", *SIZE):
        pass
    backups = tmp_path / "backups"
    backups.mkdir()
    for day in range(50):
        (backups / f"{20250101 + day}T000000Z.tar.gz").touch()
    run(tmp_path, recipe('tesserae backup "backups'))
    kept = sorted(path.name for path in backups.iterdir())
    assert len(kept) == 48
    assert kept[0] == "20250104T000000Z.tar.gz"


async def test_files_of_two_moments_are_refused(tmp_path: Path) -> None:
    """The database first, then snapshots that are newer: what the page warns of."""
    (tmp_path / "copy").mkdir(mode=0o700)
    async with process(tmp_path / "data", *SIZE) as server, Client(server.url) as client:
        await client.ready()
        await place(client, 0, 10)
        run(tmp_path, f"{SCRIPT} backup early")
        await place(client, 10, 60)
        assert await server.stop() == 0
    run(tmp_path, "cp -a early/tesserae.db data/blobs data/secret copy/")
    server = ServerProcess(tmp_path / "copy", *SIZE)
    await server.launch()
    code, said = await server.ended()
    assert code == 3
    assert "older than its snapshots" in said
