"""`tesserae history export`: placements in three formats, whole or in part, never half a file."""

import csv
import sys
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import orjson
import pytest
from pyarrow import parquet  # type: ignore[import-untyped]

from persistence.ports import Key
from server.cli import history_reading
from server.cli.history_reading import pseudonym
from server.cli.main import main
from tests.support.exports import BEGAN_MS, command, paint, painted, playing

Captured = pytest.CaptureFixture[str]
NAMES = ["seq", "at", "x", "y", "originalX", "originalY", "color", "previous", "by"]


@pytest.fixture(autouse=True)
def _clean(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.chdir(tmp_path)


def run(*words: str) -> int:
    return main(["history", "export", "--data", "data", *words])


def lines(*words: str) -> list[dict[str, Any]]:
    """What is exported as JSON lines."""
    assert run("-o", "all.jsonl", "--force", *words) == 0
    return [orjson.loads(line) for line in Path("all.jsonl").read_bytes().splitlines()]


def line_count(name: str) -> int:
    return len(Path(name).read_bytes().splitlines())


def files() -> list[str]:
    return sorted(path.name for path in Path().iterdir())


def seqs(*words: str) -> list[int]:
    return [entry["seq"] for entry in lines(*words)]


def test_json_lines_have_the_names_of_the_wire(capsys: Captured) -> None:
    painted(Path("data"))
    entries = lines()
    assert [entry["seq"] for entry in entries] == [1, 2, 4, 5]
    assert entries[2] == {
        "seq": 4,
        "at": BEGAN_MS + 2000,
        "x": 11,
        "y": 1,
        "original": [1, 1],
        "color": 4,
        "previous": 2,
        "by": "ann",
    }
    assert "Wrote 4 placements to all.jsonl." in capsys.readouterr().err


def test_csv_is_safe_for_spreadsheets() -> None:
    painted(Path("data"))
    assert run("-o", "all.csv") == 0
    with Path("all.csv").open(newline="", encoding="utf-8") as file:
        head, *rows = csv.reader(file)
    assert head == NAMES
    assert rows[0] == ["1", "2025-10-09T08:53:20.000Z", "11", "1", "1", "1", "2", "15", "ann"]
    assert [row[-1] for row in rows] == ["ann", "bob", "ann", "'=cmd()"]


def test_parquet_has_types(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("server.cli.export_formats.ROWS_IN_A_GROUP", 3)
    painted(Path("data"))
    assert run("-o", "all.parquet") == 0
    table = parquet.read_table("all.parquet")
    assert table.column_names == NAMES
    assert str(table.schema.field("at").type) == "timestamp[ms, tz=UTC]"
    assert table.column("seq").to_pylist() == [1, 2, 4, 5]
    assert table.column("by").to_pylist() == ["ann", "bob", "ann", "=cmd()"]


def test_without_pyarrow_the_remedy_is_told(
    monkeypatch: pytest.MonkeyPatch, capsys: Captured
) -> None:
    painted(Path("data"))
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    monkeypatch.setitem(sys.modules, "pyarrow.parquet", None)
    assert run("-o", "all.parquet") == 1
    assert "-m pip install 'tesserae[parquet]'" in capsys.readouterr().err
    assert not Path("all.parquet").exists()


def test_standard_output_is_csv_unless_told(capfd: Captured) -> None:
    painted(Path("data"))
    assert run() == 0
    assert capfd.readouterr().out.startswith("seq,at,x,y")
    assert run("--format", "jsonl") == 0
    assert orjson.loads(capfd.readouterr().out.splitlines()[0])["seq"] == 1


def test_parts_are_by_time_user_and_region() -> None:
    painted(Path("data"))
    assert seqs("--since", str(BEGAN_MS + 1000), "--until", "2025-10-09T08:53:22Z") == [2, 4]
    assert seqs("--until", "2001-01-01") == []
    assert seqs("--user", "ann") == [1, 4]
    assert seqs("--user", "nobody") == []
    assert seqs("--region", "11,1,11,1") == [1, 4]
    assert seqs("--region", "0,0,9,9") == []


def test_addresses_are_never_in_it() -> None:
    painted(Path("data"))
    for name in ("a.csv", "a.jsonl", "a.parquet"):
        assert run("-o", name) == 0
        assert b"secret" not in Path(name).read_bytes()


def test_pseudonyms_are_the_same_within_a_file_alone() -> None:
    painted(Path("data"))
    first, second = lines("--anonymous"), lines("--anonymous")
    names = [entry["by"] for entry in first]
    assert names[0] == names[2] != names[1]
    assert not {"ann", "bob"} & set(names)
    assert not set(names) & {entry["by"] for entry in second}
    assert pseudonym("ann", b"k") == pseudonym("ann", b"k") != pseudonym("ann", b"l")


async def test_it_works_beside_a_writer() -> None:
    async with playing(Path("data")) as game:
        await paint(game)
        assert await command("history", "export", "--data", "data", "-o", "a.jsonl") == 0
        assert line_count("a.jsonl") == 4


async def test_a_superseded_writers_rows_are_left_out() -> None:
    async with playing(Path("data")) as game:
        await paint(game)
        (page,) = [page async for page in game.store.journal.read(["HISTORY"])]
        stray = {**page[-1], "seq": 5, "SK": page[-1]["SK"] + "0", "fence": 0}
        await game.store.journal.commit([stray])
        assert await command("history", "export", "--data", "data", "-o", "a.jsonl") == 0
        assert line_count("a.jsonl") == 4


async def test_a_hole_is_damage_and_leaves_no_file(capsys: Captured) -> None:
    async with playing(Path("data")) as game:
        await paint(game)
        (page,) = [page async for page in game.store.journal.read(["HISTORY"])]
        await game.store.journal.delete([Key(page[1]["PK"], page[1]["SK"])])
        assert await command("history", "export", "--data", "data", "-o", "a.csv") == 3
    assert "from seq 1 to 3" in capsys.readouterr().err
    assert files() == ["data"]


def test_an_interrupt_leaves_no_half_file(
    monkeypatch: pytest.MonkeyPatch, capsys: Captured
) -> None:
    painted(Path("data"))

    async def interrupted(*_: Any) -> AsyncIterator[list[dict[str, Any]]]:
        yield []
        raise KeyboardInterrupt

    monkeypatch.setattr(history_reading._Export, "pages", interrupted)
    assert run("-o", "a.csv") == 1
    assert "Aborted" in capsys.readouterr().err
    assert files() == ["data"]


def test_a_full_disk_is_told_and_leaves_no_half_file(
    monkeypatch: pytest.MonkeyPatch, capsys: Captured
) -> None:
    painted(Path("data"))

    def full(*_: Any) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("os.fsync", full)
    assert run("-o", "a.csv") == 1
    assert "No space left" in capsys.readouterr().err
    assert files() == ["data"]


@pytest.mark.parametrize(
    ("words", "code", "says"),
    [
        (("--since", "2026-01-02", "--until", "2026-01-01"), 2, "exchange the two"),
        (("--since", "yesterday"), 2, "ISO 8601"),
        (("--game", "place#no"), 1, "there are: place#main"),
        (("--region", "0,0,30,0"), 2, "its last cell is 29,9"),
        (("--format", "xml"), 2, "xml"),
    ],
)
def test_what_is_wrong_is_told(
    words: tuple[str, ...], code: int, says: str, capsys: Captured
) -> None:
    painted(Path("data"))
    assert run("-o", "a.csv", *words) == code
    assert says in capsys.readouterr().err
    assert not Path("a.csv").exists()
