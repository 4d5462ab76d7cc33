"""`tesserae tables`: what a person and a program read of the tables, over tables that are not."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace
from pathlib import Path

import orjson
import pytest

from persistence.errors import TransientFault
from persistence.ports import Table
from persistence.shapes import Found, IndexShape, Progress, Shape, declared, lacks
from persistence.tables import ALL, HISTORY, MAIN
from server.cli.main import main
from server.config import Settings

Captured = pytest.CaptureFixture[str]
AWS = ("--store", "aws", "--bucket", "pixels", "--stage", "prod")


class FakeKeeper:
    """Tables that are values: what is lacking is there once it was made."""

    def __init__(self) -> None:
        self.found = {table.name: as_declared(table) for table in ALL}
        self.creations = 0

    def change(self, table: Table, shape: Shape | None, status: str = "ACTIVE") -> None:
        self.found[table.name] = replace(self.found[table.name], shape=shape, status=status)

    async def describe(self) -> list[Found]:
        return list(self.found.values())

    async def create(self, progress: Progress) -> list[str]:
        self.creations += 1
        lacking = [found for found in self.found.values() if list(lacks(found))]
        for found in lacking:
            self.found[found.table.name] = as_declared(found.table)
            progress(found.name, len(lacking), len(lacking))
        return [found.name for found in lacking]


def as_declared(table: Table) -> Found:
    return Found(table, f"t-{table.name}", "ACTIVE", declared(table), 1234, 567_890)


@pytest.fixture(autouse=True)
def keeper(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> FakeKeeper:
    made = FakeKeeper()

    @asynccontextmanager
    async def open_keeper(settings: Settings) -> AsyncIterator[FakeKeeper]:
        assert settings.stage == "prod"
        yield made

    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("server.cli.table_keeping.open_keeper", open_keeper)
    for name in ("AWS_REGION", "AWS_DEFAULT_REGION"):
        monkeypatch.delenv(name, raising=False)
    return made


def run(*words: str) -> int:
    return main(["tables", *words, *AWS])


def test_tables_as_they_have_to_be(capsys: Captured) -> None:
    assert run("check") == 0
    assert capsys.readouterr().out == "The tables of stage prod on AWS are as they have to be.\n"
    assert run("check", "--json") == 0
    assert orjson.loads(capsys.readouterr().out) == []


def test_a_difference_is_named_with_what_helps(keeper: FakeKeeper, capsys: Captured) -> None:
    keeper.change(HISTORY, None, "MISSING")
    assert run("check") == 1
    said = capsys.readouterr().out
    assert said == (
        "t-history: there is no such table\n    `tesserae tables create` adds what is missing.\n"
    )
    keeper.change(MAIN, replace(declared(MAIN), billing="PROVISIONED", ttl=None))
    assert run("check") == 1
    said = capsys.readouterr().out
    assert "t-main: billing PROVISIONED, not PAY_PER_REQUEST\n" in said
    assert "t-main: TTL attribute none, not expiresAt\n" in said
    assert "Billing and TTL are settings of the table." in said
    assert run("check", "--json") == 1
    assert len(orjson.loads(capsys.readouterr().out)) == 3


def test_an_index_that_is_being_filled_is_a_difference(
    keeper: FakeKeeper, capsys: Captured
) -> None:
    shape = declared(HISTORY)
    filling = replace(shape.indexes["UserIndex"], status="CREATING")
    keeper.change(HISTORY, replace(shape, indexes={**shape.indexes, "UserIndex": filling}))
    assert run("check") == 1
    assert "t-history: index UserIndex is CREATING, not ACTIVE" in capsys.readouterr().out


def test_what_is_missing_is_shown_then_made(keeper: FakeKeeper, capsys: Captured) -> None:
    keeper.change(HISTORY, replace(declared(HISTORY), indexes={}))
    keeper.change(MAIN, None, "MISSING")
    assert run("create", "--dry-run") == 0
    said = capsys.readouterr().out
    assert "t-history: would be made: index XOriginalIndex, index UserIndex\n" in said
    assert "t-main: would be made: the table\n" in said
    assert "Nothing was made: --dry-run." in said
    assert keeper.creations == 0
    assert run("create") == 0
    said = capsys.readouterr().out
    assert "t-main: is made: the table\n" in said
    assert said.endswith("stage prod on AWS has all its tables.\n")
    assert run("create") == 0
    assert capsys.readouterr().out == "Nothing is missing in stage prod on AWS.\n"


def test_what_cannot_be_made_is_told_and_left(keeper: FakeKeeper, capsys: Captured) -> None:
    foreign = replace(declared(HISTORY), keys=(("id", "S"), ("SK", "S")), indexes={})
    keeper.change(HISTORY, foreign)
    assert run("create") == 1
    said = capsys.readouterr()
    assert "t-history: keys id (S) + SK (S), not PK (S) + SK (S); nothing that is" in said.err
    assert keeper.found["history"].shape == foreign


def test_a_table_that_takes_long_is_gone_on_with(
    keeper: FakeKeeper, capsys: Captured, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def slow(_progress: Progress) -> list[str]:
        raise TransientFault("table t-main is still being made", "run it again")

    monkeypatch.setattr(keeper, "create", slow)
    assert run("create") == 1
    assert "still being made\n  run it again" in capsys.readouterr().err


def test_tables_are_described(keeper: FakeKeeper, capsys: Captured) -> None:
    keeper.change(MAIN, None, "MISSING")
    assert run("describe") == 0
    said = capsys.readouterr().out
    assert "t-history: ACTIVE, 1,234 items, 567,890 bytes, PAY_PER_REQUEST\n" in said
    assert "    index UserIndex: ACTIVE, keys userId (S) + SK (S), projects INCLUDE colorIn" in said
    assert said.endswith("t-main: MISSING\n")
    assert run("describe", "--json") == 0
    history, main_table = orjson.loads(capsys.readouterr().out)[-2:]
    assert history["keys"] == {"PK": "S", "SK": "S"}
    assert history["indexes"]["XOriginalIndex"]["keys"] == {"PK": "S", "x_original": "N"}
    assert main_table["differences"] == ["t-main: there is no such table"]


def test_an_index_that_nobody_asked_for_is_a_difference(
    keeper: FakeKeeper, capsys: Captured
) -> None:
    shape = declared(MAIN)
    other = {"Other": IndexShape((("a", "S"), ("b", "S")), "ALL")}
    keeper.change(MAIN, replace(shape, indexes=other))
    assert run("check") == 1
    assert "index Other is not declared, and every write pays for it" in capsys.readouterr().out


@pytest.mark.parametrize("words", [("create",), ("describe",), ("check",), ("policy",)])
def test_the_embedded_store_has_no_tables(words: tuple[str, ...], capsys: Captured) -> None:
    account = ("--account", "*") if words == ("policy",) else ()
    assert main(["tables", *words, *account, "--store", "embedded"]) == 2
    assert "give --store aws with --bucket" in capsys.readouterr().err


def policy(*words: str, capsys: Captured) -> dict[str, list[str]]:
    assert run("policy", *words) == 0
    statements = orjson.loads(capsys.readouterr().out)["Statement"]
    return {each["Sid"]: each["Resource"] for each in statements}


def test_the_policy_is_for_one_stage(capsys: Captured) -> None:
    words = ("--account", "123456789012", "--region", "eu-west-1")
    resources = policy(*words, capsys=capsys)
    assert resources["TesseraeItems"][-1] == (
        "arn:aws:dynamodb:eu-west-1:123456789012:table/tesserae-prod"
    )
    assert resources["TesseraeBucket"] == ["arn:aws:s3:::pixels"]
    assert policy(*words, "--create", capsys=capsys).keys() == {"TesseraeTables"}
    assert policy(*words, "--read-only", capsys=capsys).keys() == resources.keys()


def test_any_account_and_region_are_choices(
    capsys: Captured, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert policy("--account", "*", "--region", "*", capsys=capsys)["TesseraeItems"][-1] == (
        "arn:aws:dynamodb:*:*:table/tesserae-prod"
    )
    monkeypatch.setenv("AWS_REGION", "eu-north-1")
    assert ":eu-north-1:" in policy("--account", "*", capsys=capsys)["TesseraeItems"][-1]
    monkeypatch.setenv("TESSERAE_REGION", "eu-south-1")
    assert ":eu-south-1:" in policy("--account", "*", capsys=capsys)["TesseraeItems"][-1]


@pytest.mark.parametrize(
    ("words", "remedy"),
    [
        ((), "--account"),
        (("--account", "12"), "give its 12 digits"),
        (("--account", "١٢٣٤٥٦٧٨٩٠١٢"), "give its 12 digits"),
        (("--account", "*"), "--region '*' for any"),
        (("--account", "*", "--region", "a:b"), "such as eu-central-1"),
    ],
)
def test_a_policy_is_for_no_place_by_accident(
    words: tuple[str, ...], remedy: str, capsys: Captured
) -> None:
    assert run("policy", *words) == 2
    said = capsys.readouterr()
    assert remedy in said.err
    assert said.out == ""
