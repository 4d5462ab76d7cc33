"""A picture becomes the board of a running server: seen at once, placed upon, there for good."""

import asyncio
from collections.abc import Sequence
from pathlib import Path

import pytest
from tesserae_client import Client

from canvas.board import Board
from tests.support.foreign import BINARY, GAME, JSON, Foreign, dialled
from tests.support.paintings import pxls_board, pxls_colors, pxls_palette, saved
from tests.support.processes import SCRIPT, ServerProcess, process, tesserae

pytestmark = pytest.mark.integration

FREE = ("--cooldown-ms", "0")
SIZE = ("--size", "96x64", *FREE)
PATIENCE_S = 60
KILLS = 3


def drawn(directory: Path) -> list[str]:
    """A board of Pxls' with its palette of 32 colours, as the command that imports it."""
    colors = pxls_colors()
    picture = saved(directory / "board.png", pxls_board(colors))
    palette = directory / "palette.conf"
    palette.write_text(pxls_palette(colors))
    return ["canvas", "import", str(picture), "--palette", str(palette), "--yes"]


async def seen(server: ServerProcess) -> Board:
    """The board as a newcomer gets it."""
    async with dialled(server.url) as watcher:
        await watcher.play(wantsPresence=False)
        assert watcher.follower.board is not None
        return watcher.follower.board


async def resynced(watcher: Foreign) -> None:
    await watcher.event("settings")
    await watcher.event("base")
    await watcher.in_step(await watcher.ask("resync", game=GAME))
    assert await watcher.in_step_by_checksum()


async def test_a_pxls_board_is_imported_seen_and_placed_upon(tmp_path: Path) -> None:
    data = tmp_path / "data"
    command = [*drawn(tmp_path), "--data", str(data)]
    async with process(data, *SIZE) as server:
        async with (
            dialled(server.url, BINARY) as one,
            dialled(server.url, JSON) as other,
            Client(server.url) as player,
        ):
            for watcher in (one, other):
                await watcher.play(wantsPresence=False)
            await player.ready()
            await one.put((0, 0, 3), (95, 63, 4))
            code, said = await tesserae(*command)
            assert (code, "has 32 colors, and a board takes 16" in said) == (1, True)
            code, said = await tesserae(*command, "--reduce")
            assert (code, "Palette colors that are not kept" in said) == (0, True), said
            assert "place#main at seq 4" in said
            await resynced(one)
            await resynced(other)
            (placed,) = await one.put((5, 40, 0))
            assert (placed.status, placed.seq) == (0, 5)
            async with asyncio.timeout(PATIENCE_S):
                assert await player.verify()
            assert player.seq >= placed.seq
        before = (await seen(server)).crc32()
        await server.kill()
        await server.start()
        assert (await seen(server)).crc32() == before


async def test_an_operator_imports_from_elsewhere_by_a_token(tmp_path: Path) -> None:
    data, token = tmp_path / "data", tmp_path / "token"
    async with process(data, *SIZE) as server:
        url = f"http://127.0.0.1:{server.port}"
        words = [*drawn(tmp_path), "--reduce", "--url", url, "--token-file", str(token)]
        for role, expected in (("player", 1), ("admin", 0)):
            running = await asyncio.create_subprocess_exec(
                *(str(SCRIPT), "token", "--data", str(data), "--sub", "op", "--name", "Op"),
                *("--role", role),
                stdout=asyncio.subprocess.PIPE,
                stderr=asyncio.subprocess.DEVNULL,
            )
            token.write_bytes((await running.communicate())[0])
            code, said = await tesserae(*words)
            assert code == expected, said
            assert ("needs the role admin" in said) == (role == "player")
            assert token.read_text().strip() not in said
        assert (await seen(server)).get(0, 0) == 15


async def test_a_server_finds_what_was_imported_before_it_first_started(tmp_path: Path) -> None:
    data = tmp_path / "data"
    code, said = await tesserae(*drawn(tmp_path), "--reduce", "--data", str(data))
    assert code == 0, said
    async with process(data, *FREE) as server:
        board = await seen(server)
    assert (board.width, board.height) == (96, 64)
    assert len(set(board.colors().ravel().tolist())) > 8


def names_in(directory: Path) -> set[str]:
    return {path.name for path in directory.glob("*")}


async def killed_amid_import(server: ServerProcess, command: Sequence[str], blobs: Path) -> None:
    """Kill the server as soon as the picture's blob is there."""
    before = names_in(blobs)
    importing = asyncio.create_task(tesserae(*command))
    async with asyncio.timeout(PATIENCE_S):
        while names_in(blobs) == before and not importing.done():
            await asyncio.wait([importing], timeout=0.0005)
    await server.kill()
    await importing


async def test_sigkill_amid_an_import_leaves_nothing_or_the_whole(tmp_path: Path) -> None:
    data, colors = tmp_path / "data", ["#FF4500", "#2450A4", "#00A368"]
    async with process(data, *SIZE) as server:
        old = (await seen(server)).crc32()
        for kill in range(KILLS):
            saved(tmp_path / "whole.png", [[colors[kill]] * 96] * 64)
            command = (
                "canvas",
                "import",
                str(tmp_path / "whole.png"),
                "--data",
                str(data),
                "--yes",
            )
            await killed_amid_import(server, command, data / "blobs" / "canvas" / "base")
            await server.start()
            board = await seen(server)
            assert board.crc32() == old or len(set(board.colors().ravel().tolist())) == 1
            old = board.crc32()
        code, said = await tesserae(*command)
        assert code == 0, said
        assert set((await seen(server)).colors().ravel().tolist()) == {3}
