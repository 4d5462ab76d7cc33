"""The commands of the how-to, beside a server on which people play and a picture is laid."""

import re
import subprocess
import sys
from pathlib import Path

import pytest
from tesserae_client import Client, Placed

from tests.support.processes import ServerProcess, process
from tests.support.source import read

pytestmark = pytest.mark.integration

SIZE = ("--size", "64x64", "--cooldown-ms", "0", "--snapshot-pixels", "20")


def recipe() -> str:
    """The first block of commands of the page, with the Python of the checks."""
    page = read("docs/how-to/backups.md")
    found = re.search(r"^```sh\n(umask.*?)^```", page, re.MULTILINE | re.DOTALL)
    assert found is not None
    return found[1].replace(".venv/bin/python", sys.executable)


def run(folder: Path, commands: str) -> None:
    done = subprocess.run(
        ["bash", "-euo", "pipefail", "-c", commands],
        cwd=folder,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert done.stderr == ""


async def place(client: Client, first: int, count: int) -> None:
    for number in range(first, first + count):
        assert isinstance(await client.place(number % 64, number // 64, number % 16), Placed)


async def test_a_copy_beside_a_running_server_holds_all_that_was_acknowledged(
    tmp_path: Path,
) -> None:
    async with process(tmp_path / "data", *SIZE) as server, Client(server.url) as client:
        await client.ready()
        await place(client, 0, 50)
        run(tmp_path, recipe())
        before = client.board.colors.copy()
        await place(client, 50, 30)
        assert await server.stop() == 0
    async with process(tmp_path / "copy", *SIZE) as server, Client(server.url) as client:
        await client.ready()
        assert (client.board.colors == before).all()


async def test_a_picture_that_came_between_the_steps_is_in_the_copy(tmp_path: Path) -> None:
    """Its blob is not there yet when the snapshots are copied, and its event is in the database."""
    late = tmp_path / "data/blobs/canvas/base/late.bin.blob"
    async with process(tmp_path / "data", *SIZE):
        pass
    late.parent.mkdir(parents=True)
    late.write_bytes(b"a picture")
    run(tmp_path, recipe())
    assert (tmp_path / "copy/blobs/canvas/base/late.bin.blob").read_bytes() == b"a picture"
    assert not (tmp_path / "copy/late.tar").exists()


async def test_the_wrong_order_is_refused(tmp_path: Path) -> None:
    """The database first, then snapshots that are newer: what the page warns of."""
    (tmp_path / "copy").mkdir(mode=0o700)
    take = f"""{sys.executable} -c "
import sqlite3
sqlite3.connect('data/tesserae.db').execute(\\"VACUUM INTO 'copy/tesserae.db'\\")" """
    async with process(tmp_path / "data", *SIZE) as server, Client(server.url) as client:
        await client.ready()
        await place(client, 0, 10)
        run(tmp_path, take)
        await place(client, 10, 60)
        assert await server.stop() == 0
    run(tmp_path, "cp -a data/blobs data/secret copy/")
    server = ServerProcess(tmp_path / "copy", *SIZE)
    await server.launch()
    code, said = await server.ended()
    assert code == 3
    assert "older than its snapshots" in said
