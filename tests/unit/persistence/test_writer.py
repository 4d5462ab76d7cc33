"""Group commit: what shares a transaction, what fails alone, what fails together."""

import asyncio
import sqlite3
import threading
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from persistence.errors import ConditionFailed, PermanentFault, StoreError, TransientFault
from persistence.sqlite import writer as module
from persistence.sqlite.writer import CHECKPOINT, MAX_GROUP, Work, Writer


class Bench(NamedTuple):
    """A writer on a small table, and the statements that it was seen to run."""

    writer: Writer
    path: Path
    statements: list[str]

    def transactions(self) -> int:
        return self.statements.count("COMMIT")

    def stored(self) -> list[int]:
        connection = sqlite3.connect(self.path)
        numbers = [row[0] for row in connection.execute("SELECT n FROM t ORDER BY rowid")]
        connection.close()
        return numbers


@pytest.fixture
async def bench(tmp_path: Path) -> AsyncIterator[Bench]:
    path = tmp_path / "t.db"
    connection = sqlite3.connect(path, isolation_level=None, check_same_thread=False)
    connection.execute("PRAGMA journal_mode = WAL")
    connection.execute("CREATE TABLE t (n INTEGER UNIQUE, filler)")
    statements: list[str] = []
    connection.set_trace_callback(statements.append)
    writer = Writer(connection, path)
    yield Bench(writer, path, statements)
    await writer.close()


def insert(number: int, size_bytes: int = 0) -> Work[int]:
    def work(connection: sqlite3.Connection) -> int:
        connection.execute("INSERT INTO t VALUES (?, zeroblob(?))", (number, size_bytes))
        return number

    return work


async def held(bench: Bench, *works: Work[Any]) -> list[object]:
    """Run `works` as calls that are all in flight together, behind one that holds the thread."""
    gate, entered = threading.Event(), asyncio.Event()
    loop = asyncio.get_running_loop()

    def hold(_connection: sqlite3.Connection) -> None:
        loop.call_soon_threadsafe(entered.set)
        gate.wait(10)

    first = asyncio.ensure_future(bench.writer.run(hold))
    await entered.wait()
    calls = [asyncio.ensure_future(bench.writer.run(work)) for work in works]
    await asyncio.sleep(0)
    gate.set()
    await first
    return list(await asyncio.gather(*calls, return_exceptions=True))


async def test_calls_in_flight_together_share_one_transaction(bench: Bench) -> None:
    results = await held(bench, *[insert(n) for n in range(50)])
    assert results == list(range(50))
    assert bench.transactions() == 2
    assert bench.stored() == list(range(50))


async def test_a_group_is_bounded(bench: Bench) -> None:
    await held(bench, *[insert(n) for n in range(MAX_GROUP + 1)])
    assert bench.transactions() == 3
    assert len(bench.stored()) == MAX_GROUP + 1


async def test_one_that_fails_takes_nothing_from_the_others(bench: Bench) -> None:
    def half_done(connection: sqlite3.Connection) -> None:
        connection.execute("INSERT INTO t VALUES (99, NULL)")
        raise ConditionFailed("no")

    def bug(connection: sqlite3.Connection) -> None:
        connection.execute("INSERT INTO t VALUES (98, NULL)")
        raise ZeroDivisionError

    results = await held(bench, insert(1), half_done, insert(1), bug, insert(2))
    expected = [int, ConditionFailed, PermanentFault, ZeroDivisionError, int]
    assert [type(result) for result in results] == expected
    assert bench.stored() == [1, 2]


async def test_a_full_disk_fails_all_and_the_same_calls_succeed_later(bench: Bench) -> None:
    def limit(pages: int) -> Work[list[Any]]:
        return lambda connection: connection.execute(f"PRAGMA max_page_count = {pages}").fetchall()

    await bench.writer.run(limit(10))
    works = [insert(1), insert(2, size_bytes=100_000), insert(3)]
    results = await held(bench, *works)
    assert [type(result) for result in results] == [TransientFault] * 3
    assert len({id(result) for result in results}) == 3
    for result in results:
        assert isinstance(result, StoreError)
        assert "SQLITE_FULL" in str(result)
        assert "free some space" in result.hint
    assert bench.stored() == []
    await bench.writer.run(limit(1000))
    assert await held(bench, *works) == [1, 2, 3]
    assert bench.stored() == [1, 2, 3]


async def test_a_held_file_is_a_passing_fault(bench: Bench) -> None:
    await bench.writer.run(lambda connection: connection.execute("PRAGMA busy_timeout = 0"))
    other = sqlite3.connect(bench.path, isolation_level=None)
    other.execute("BEGIN IMMEDIATE")
    with pytest.raises(TransientFault, match="SQLITE_BUSY"):
        await bench.writer.run(insert(1))
    other.execute("ROLLBACK")
    other.close()
    await bench.writer.run(insert(1))
    assert bench.stored() == [1]


async def test_a_cancelled_call_is_done_and_disturbs_nobody(bench: Bench) -> None:
    gate = threading.Event()
    first = asyncio.ensure_future(bench.writer.run(lambda _: gate.wait(10)))
    cancelled = asyncio.ensure_future(bench.writer.run(insert(1)))
    last = asyncio.ensure_future(bench.writer.run(insert(2)))
    await asyncio.sleep(0)
    cancelled.cancel()
    gate.set()
    await first
    assert await last == 2
    assert cancelled.cancelled()
    assert bench.stored() == [1, 2]


async def test_a_close_finishes_what_was_asked(tmp_path: Path) -> None:
    path = tmp_path / "t.db"
    connection = sqlite3.connect(path, isolation_level=None, check_same_thread=False)
    connection.execute("CREATE TABLE t (n)")
    writer = Writer(connection, path)
    calls = [
        asyncio.ensure_future(writer.run(lambda c: c.execute("INSERT INTO t VALUES (1)").rowcount))
        for _ in range(20)
    ]
    await asyncio.sleep(0)
    await writer.close()
    assert await asyncio.gather(*calls) == [1] * 20
    with pytest.raises(PermanentFault, match="is closed"):
        await writer.run(insert(1))


async def test_one_alone_that_fails_leaves_nothing_and_takes_no_savepoint(bench: Bench) -> None:
    def half_done(connection: sqlite3.Connection) -> None:
        connection.execute("INSERT INTO t VALUES (99, NULL)")
        raise ConditionFailed("no")

    with pytest.raises(ConditionFailed, match="no"):
        await bench.writer.run(half_done)
    assert await bench.writer.run(insert(1)) == 1
    assert bench.stored() == [1]
    assert not [statement for statement in bench.statements if "SAVEPOINT" in statement]


async def test_the_log_is_moved_when_there_is_enough_of_it(
    bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "CHECKPOINT_ROWS", 12)
    moved = threading.Event()
    bench.writer._connection.set_trace_callback(
        lambda text: moved.set() if text == CHECKPOINT else None
    )
    await bench.writer.run(insert(1))
    await bench.writer.run(lambda _: None)
    assert not moved.is_set()
    await bench.writer.run(insert(2))
    assert await asyncio.to_thread(moved.wait, 10)
    log = bench.path.with_name(f"{bench.path.name}-wal")
    before_bytes = log.stat().st_size
    await bench.writer.run(insert(3))
    assert log.stat().st_size == before_bytes, "the log was not begun anew"
    assert bench.stored() == [1, 2, 3]


async def test_the_log_is_not_moved_while_somebody_waits(
    bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "CHECKPOINT_ROWS", 0)
    await held(bench, *[insert(n) for n in range(MAX_GROUP + 1)])
    commits = [at for at, text in enumerate(bench.statements) if text == "COMMIT"]
    assert len(commits) == 3
    assert CHECKPOINT not in bench.statements[: commits[-1]]


async def test_a_log_that_cannot_be_moved_disturbs_nobody(
    bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "CHECKPOINT_ROWS", 0)
    monkeypatch.setattr(module, "CHECKPOINT", "SELECT nothing")
    for number in (1, 2, 3):
        await bench.writer.run(insert(number))
    assert bench.stored() == [1, 2, 3]
