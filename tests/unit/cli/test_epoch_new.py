"""`tesserae epoch new`: shown, asked for, and done where no server runs."""

from pathlib import Path

import pytest

from server.cli.main import main
from tests.support.damage import contents
from tests.support.exports import command, painted, playing

Captured = pytest.CaptureFixture[str]


@pytest.fixture(autouse=True)
def _clean(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.chdir(tmp_path)


def run(*words: str) -> int:
    return main(["epoch", "new", "--data", "data", *words])


def test_an_epoch_begins(capsys: Captured) -> None:
    painted(Path("data"))
    assert run("--yes") == 0
    told = capsys.readouterr().out
    assert "place#main is 30 x 10 at seq 5, in epoch e1." in told
    assert "place#main goes on at seq 5, in epoch" in told
    assert main(["store", "check", "--data", "data"]) == 0
    assert run("--dry-run") == 0
    assert "in epoch e1" not in capsys.readouterr().out


@pytest.mark.parametrize("words", [("--dry-run",), ()])
def test_without_a_word_nothing_is_changed(words: tuple[str, ...], capsys: Captured) -> None:
    painted(Path("data"))
    before = contents(Path("data"))
    assert run(*words) == (0 if words else 1)
    said = capsys.readouterr()
    assert ("--dry-run" if words else "give --yes") in said.out + said.err
    assert contents(Path("data")) == before


async def test_beside_a_server_it_is_refused_naming_it(capsys: Captured) -> None:
    async with playing(Path("data")):
        assert await command("epoch", "new", "--data", "data", "--yes") == 3
    assert "process" in capsys.readouterr().err


def test_an_unknown_game(capsys: Captured) -> None:
    painted(Path("data"))
    assert run("--game", "place#other", "--yes") == 1
    assert "there are: place#main" in capsys.readouterr().err
