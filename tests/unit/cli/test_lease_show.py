"""`tesserae lease show`: who writes to a store, read beside it."""

import os
from pathlib import Path

import orjson
import pytest

from persistence.ports import Holding
from server.cli.lease_show import lines_of
from server.cli.main import main
from tests.support.damage import contents
from tests.support.exports import command
from tests.support.stores import embedded

Captured = pytest.CaptureFixture[str]
NOW_MS = 1_760_000_000_000


@pytest.fixture(autouse=True)
def _clean(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.chdir(tmp_path)


def told(holding: Holding) -> str:
    return "\n".join(lines_of(holding, "stage dev on AWS", NOW_MS))


async def test_the_process_that_writes_is_shown(capsys: Captured) -> None:
    async with embedded(Path("data")) as store:
        await store.lease.acquire(above=4)
        await store.lease.tell("http://127.0.0.1:8080")
        assert await command("lease", "show", "--data", "data") == 0
    said = capsys.readouterr().out
    assert said.startswith(f"data: process {os.getpid()} on ")
    assert " has the right to write since 2025-" in said
    assert said.endswith(
        ", with fence 5\n    reached at http://127.0.0.1:8080\n"
        "    until that process ends, however it ends\n"
    )


async def test_nobody_is_shown_and_nothing_written(capsys: Captured) -> None:
    async with embedded(Path("data")) as store:
        await store.lease.acquire()
    before = contents(Path("data"))
    assert await command("lease", "show", "--data", "data") == 0
    assert capsys.readouterr().out == (
        "Nobody has the right to write to data; the last fence was 1.\n"
    )
    assert await command("lease", "show", "--data", "data", "--json") == 0
    assert orjson.loads(capsys.readouterr().out) == {
        "owner": None, "url": None, "fence": 1, "sinceMs": None, "untilMs": None, "leaseMs": None,
    }  # fmt: skip
    assert contents(Path("data")) == before


def test_where_there_is_no_store_none_is_made(capsys: Captured) -> None:
    assert main(["lease", "show", "--data", "data"]) == 1
    assert not Path("data").exists()
    assert "data" in capsys.readouterr().err


def test_a_lease_by_time_tells_its_end() -> None:
    held = Holding(7, "process 1 on a (x)", "http://h:1", NOW_MS - 5000, NOW_MS + 6300, 10_000)
    assert told(held) == (
        "stage dev on AWS: process 1 on a (x) has the right to write since 2025-10-09 08:53:15 UTC,"
        " with fence 7\n"
        "    reached at http://h:1\n"
        "    until 2025-10-09 08:53:26 UTC, 6.3 s from now by this machine's clock; it is renewed"
        " meanwhile"
    )


def test_a_lease_that_ran_out_tells_what_becomes_of_it() -> None:
    said = told(Holding(7, "process 1 on a (x)", until_ms=NOW_MS - 1500, lease_ms=10_000))
    assert "it ran out at 2025-10-09 08:53:18 UTC, 1.5 s ago by this machine's clock" in said
    assert said.endswith("was not renewed for a whole lease of 10 s")


def test_a_store_that_was_never_written_and_a_clock_that_was_far_off() -> None:
    assert told(Holding(0)).endswith("nobody ever had it.")
    assert f"since {10**18} ms after 1970" in told(Holding(1, "a", since_ms=10**18))
