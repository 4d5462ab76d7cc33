"""`tesserae game` against a server of its own: founded, listed, ended, archived, reopened."""

import json
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from tests.support.foreign import JSON, dialled
from tests.support.processes import ServerProcess, process, tesserae

GARDEN = "place#garden"
FLAGS = ("--size", "20x10", "--cooldown-ms", "0", "--game-idle", "1")


@pytest.fixture
async def server(tmp_path: Path) -> AsyncIterator[ServerProcess]:
    async with process(tmp_path / "data", *FLAGS) as running:
        yield running


async def game(tmp_path: Path, *words: str, code: int = 0) -> str:
    ended, said = await tesserae("game", *words, "--data", str(tmp_path / "data"))
    assert ended == code, said
    return said


async def listed(tmp_path: Path) -> dict[str, dict[str, object]]:
    return {one["game"]: one for one in json.loads(await game(tmp_path, "list", "--json"))}


async def test_the_life_of_a_game(server: ServerProcess, tmp_path: Path) -> None:
    palette = tmp_path / "two.hex"
    palette.write_text("000000\nffffff\n")
    words = ("--title", "The garden", "--size", "30x20", "--cooldown-ms", "0")
    said = await game(tmp_path, "create", GARDEN, *words, "--palette", str(palette))
    assert said == f"{GARDEN} runs: 30 x 20, channel 2.\n"
    async with dialled(server.url, JSON) as player:
        reply = await player.ask("subscribe", guest=True, games=[{"game": GARDEN}])
        (state,) = reply["games"]
        assert (state["width"], state["height"], len(state["palette"])) == (30, 20, 2)
        assert (await player.ask("place", game=GARDEN, x=29, y=19, color=0))["seq"] == 1
        table = await game(tmp_path, "list")
        assert "The garden" in table
        assert "open" in table
        assert "undoes it" in await game(tmp_path, "end", GARDEN, "--yes")
        refused = await player.ask("place", game=GARDEN, x=0, y=0, color=0)
        assert refused["error"]["code"] == "ended"
    assert "goes on" in await game(tmp_path, "reopen", GARDEN)
    await game(tmp_path, "end", GARDEN, "--yes")
    await game(tmp_path, "archive", GARDEN, "--yes")
    assert (await listed(tmp_path))[GARDEN]["archived"] is True
    await game(tmp_path, "reopen", GARDEN)


async def test_games_are_there_again_after_a_kill(server: ServerProcess, tmp_path: Path) -> None:
    await game(tmp_path, "create", GARDEN, "--size", "8x8", "--cooldown-ms", "0")
    await game(tmp_path, "create", "place#done", "--size", "8x8")
    await game(tmp_path, "end", "place#done", "--yes")
    async with dialled(server.url, JSON) as player:
        await player.ask("subscribe", guest=True, games=[{"game": GARDEN}])
        assert (await player.ask("place", game=GARDEN, x=7, y=7, color=3))["ok"]
    await server.kill()
    await server.start()
    games = await listed(tmp_path)
    assert set(games) == {"place#main", GARDEN, "place#done"}
    assert "endedAt" in games["place#done"]
    async with dialled(server.url, JSON) as player:
        reply = await player.ask("subscribe", games=[{"game": GARDEN}])
        assert reply["games"][0]["seq"] == 1
        assert (await player.ask("pixel", game=GARDEN, x=7, y=7))["color"] == 3


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (("create", "garden"), "must be <metaGame>#<gameId>"),
        (("create", GARDEN, "--size", "9000x1"), "width"),
        (("create", "place#main"), "belongs to place#main"),
        (("end", "place#nowhere", "--yes"), "no game 'place#nowhere'"),
        (("end", "place#main"), "give --yes to end place#main"),
        (("archive", "place#main", "--yes"), "end it first"),
        (("reopen", "place#main"), "it is open"),
    ],
)
async def test_what_cannot_be_is_told_and_changes_nothing(
    server: ServerProcess, tmp_path: Path, words: tuple[str, ...], told: str
) -> None:
    assert server.port
    assert told in await game(tmp_path, *words, code=1)
    assert set(await listed(tmp_path)) == {"place#main"}


async def test_without_a_server_the_remedy_is_told(tmp_path: Path) -> None:
    async with process(tmp_path / "data", *FLAGS) as server:
        await server.stop()
    assert "start one with `tesserae serve`" in await game(tmp_path, "list", code=1)


async def test_a_size_that_is_none_is_told_at_once(tmp_path: Path) -> None:
    assert "write WIDTHxHEIGHT" in await game(tmp_path, "create", GARDEN, "--size", "big", code=2)
