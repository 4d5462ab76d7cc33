"""`tesserae backup`: into a directory or a file, beside a server, never over anything."""

import subprocess
from pathlib import Path

import pytest

from server.cli.main import main
from tests.support.damage import contents, statement
from tests.support.exports import command, paint, painted, playing

Captured = pytest.CaptureFixture[str]


@pytest.fixture(autouse=True)
def _clean(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.chdir(tmp_path)


def run(*words: str) -> int:
    return main(["backup", *words])


def names() -> list[str]:
    return sorted(path.name for path in Path().iterdir())


def test_a_directory_holds_all_of_it(capsys: Captured) -> None:
    painted(Path("data"))
    (Path("data") / "secret").write_text("s" * 32)
    assert run("copy") == 0
    assert capsys.readouterr().out == (
        "place#main in data is at seq 5, with 5 rows\n"
        "place#main: 30 x 10 at seq 5, with 2 snapshots and 0 pictures\n"
        "Everything in copy is sound.\n"
        "The backup is in copy, with the signing secret of data/secret.\n"
    )
    assert Path("copy").stat().st_mode & 0o777 == 0o700
    assert (Path("copy") / "secret").stat().st_mode & 0o777 == 0o600
    assert (Path("copy") / "secret").read_text() == "s" * 32
    assert sorted(path.name for path in Path("copy").iterdir()) == [
        *("blobs", "lock", "secret", "tesserae.db"),
    ]
    assert names() == ["copy", "data"]
    assert contents(Path("copy"))["history"] == contents(Path("data"))["history"]


@pytest.mark.parametrize("name", ["copy.tar", "copy.tar.gz", "copy.tgz"])
def test_a_file_holds_a_directory_of_its_name(name: str) -> None:
    painted(Path("data"))
    assert run(name) == 0
    assert Path(name).stat().st_mode & 0o777 == 0o600
    assert names() == sorted([name, "data"])
    subprocess.run(["tar", "-xf", name], check=True)
    assert main(["store", "check", "--data", "copy"]) == 0


def test_a_secret_that_comes_by_a_variable_is_not_in_it(
    monkeypatch: pytest.MonkeyPatch, capsys: Captured
) -> None:
    painted(Path("data"))
    (Path("data") / "secret").write_text("s" * 32)
    monkeypatch.setenv("TESSERAE_SECRET", "0123456789abcdef0123456789abcdef")
    assert run("copy") == 0
    assert "without a signing secret" in capsys.readouterr().out
    assert not (Path("copy") / "secret").exists()


async def test_beside_a_writer(capsys: Captured) -> None:
    async with playing(Path("data")) as game:
        await paint(game)
        assert await command("backup", "copy") == 0
    assert "at seq 4" in capsys.readouterr().out


def test_a_dry_run_writes_nothing(capsys: Captured) -> None:
    painted(Path("data"))
    assert run("copy", "--dry-run") == 0
    assert "Nothing was written" in capsys.readouterr().out
    assert names() == ["data"]


@pytest.mark.parametrize("target", ["data", "file", "link"])
def test_nothing_is_overwritten(target: str, capsys: Captured) -> None:
    painted(Path("data"))
    Path("file").write_text("mine")
    Path("link").symlink_to("nowhere")
    assert run(target) == 2
    assert "no backup is overwritten" in capsys.readouterr().err
    assert names() == ["data", "file", "link"]


@pytest.mark.parametrize(
    ("words", "code", "said"),
    [
        (("none/copy",), 2, "is no directory"),
        (("copy", "--data", "elsewhere"), 1, "there is no store in elsewhere"),
    ],
)
def test_what_cannot_be(words: tuple[str, ...], code: int, said: str, capsys: Captured) -> None:
    painted(Path("data"))
    assert run(*words) == code
    assert said in capsys.readouterr().err
    assert names() == ["data"]


def test_a_damaged_store_is_copied_and_said_to_be(capsys: Captured) -> None:
    painted(Path("data"))
    statement("DELETE FROM history WHERE json_extract(item, '$.seq') = 1")(Path("data"))
    assert run("copy") == 1
    told = capsys.readouterr().out
    assert "seq 1 is missing" in told
    assert "The backup is in copy" in told
    assert Path("copy").is_dir()


def test_one_that_breaks_off_leaves_nothing(capsys: Captured) -> None:
    painted(Path("data"))
    statement("UPDATE config SET item = '{{{'")(Path("data"))
    assert run("copy") == 3
    assert "is no JSON" in capsys.readouterr().err
    assert names() == ["data"]
