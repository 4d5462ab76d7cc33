"""`tesserae store check`: what a person and a program read of it, also beside who writes."""

from pathlib import Path

import orjson
import pytest

from server.cli.main import main
from tests.support.damage import spoil, statement
from tests.support.exports import command, paint, painted, playing

Captured = pytest.CaptureFixture[str]
WITHOUT_2 = statement("DELETE FROM history WHERE json_extract(item, '$.seq') = 2")


@pytest.fixture(autouse=True)
def _clean(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.chdir(tmp_path)


def run(*words: str) -> int:
    return main(["store", "check", "--data", "data", *words])


def test_a_sound_store_is_said_to_be(capsys: Captured) -> None:
    painted(Path("data"))
    assert run() == 0
    assert capsys.readouterr().out == (
        "place#main: 30 x 10 at seq 5, with 2 snapshots and 0 pictures\n"
        "Everything in data is sound.\n"
    )


def test_damage_is_named_with_what_helps(capsys: Captured) -> None:
    painted(Path("data"))
    WITHOUT_2(Path("data"))
    assert run() == 1
    told = capsys.readouterr().out
    assert "damage: history of place#main, after ts#1760000000000#" in told
    assert "seq 2 is missing: the next row is ts#" in told
    assert "`tesserae epoch new`" in told
    assert told.endswith("1 thing is damaged in data.\n")


def test_damage_for_another_program(capsys: Captured) -> None:
    painted(Path("data"))
    spoil("canvas.bin.blob")(Path("data"))
    assert run("--json") == 1
    report = orjson.loads(capsys.readouterr().out)
    assert (report["sound"], report["damages"]) == (False, 1)
    (finding,) = report["findings"]
    assert (finding["severity"], finding["place"]) == ("damage", "canvas/canvas.bin")


async def test_it_works_beside_a_writer(capsys: Captured) -> None:
    async with playing(Path("data")) as game:
        await paint(game)
        assert await command("store", "check", "--data", "data") == 0
    assert "at seq 4" in capsys.readouterr().out


def test_one_game_alone(capsys: Captured) -> None:
    painted(Path("data"))
    assert run("--game", "place#main") == 0
    assert run("--game", "place#other") == 1
    assert "there are: place#main" in capsys.readouterr().err


def test_where_there_is_no_store(capsys: Captured) -> None:
    assert run() == 1
    assert "there is no store in data" in capsys.readouterr().err
    assert not Path("data").exists()
