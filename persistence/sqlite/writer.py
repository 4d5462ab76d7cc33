"""The one thread that writes to a SQLite file, with group commit.

Calls in flight together share one transaction, hence one fsync, and the loop is woken once for all
of them. Of several, each runs in a savepoint: one whose condition fails takes nothing from the
others. A fault of the store fails the whole group, since none of it is on the disk. While nobody
waits the thread moves SQLite's log into the database. It knows nothing of items; tables and journal
hand it functions.
"""

import asyncio
import sqlite3
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from queue import Empty, SimpleQueue
from typing import Any, NamedTuple, TypeVar

from persistence.errors import PermanentFault, StoreDamaged, StoreError, TransientFault
from persistence.sqlite.faults import translated

Result = TypeVar("Result")
Work = Callable[[sqlite3.Connection], Result]

CHECKPOINT = "PRAGMA wal_checkpoint(PASSIVE)"
CHECKPOINT_ROWS = 1500
"""Rows in the log, so that it is moved in 5 ms. Less would write the same pages more often."""
COMMIT_ROWS = 5
"""As many pages as these a commit writes beside those of its rows."""
MAX_GROUP = 512
"""The most calls of one transaction: bounds how long the first of them waits for the last."""


@dataclass(slots=True)
class _Call:
    """One caller's work and the future that it waits for."""

    work: Work[Any]
    future: asyncio.Future[Any]


class _Outcome(NamedTuple):
    future: asyncio.Future[Any]
    result: Any
    error: Exception | None


class Writer:
    """Runs functions on the writing connection; each is durable when `run` returns."""

    def __init__(self, connection: sqlite3.Connection, path: Path) -> None:
        self._connection = connection
        self._path = path
        self._loop = asyncio.get_running_loop()
        self._calls: SimpleQueue[_Call | None] = SimpleQueue()
        self._closed = False
        self._commits = 0
        self._moved_rows = connection.total_changes
        self._thread = threading.Thread(target=self._serve, name="store-writer", daemon=True)
        self._thread.start()

    async def run(self, work: Work[Result]) -> Result:
        """Do `work` in the order of the calls; returns when it is on stable storage.

        Raises what `work` raises, then nothing of it is kept; TransientFault or PermanentFault.
        """
        if self._closed:
            raise PermanentFault(f"{self._path} is closed", "this is an error in the program")
        future: asyncio.Future[Result] = self._loop.create_future()
        self._calls.put(_Call(work, future))
        return await future

    async def close(self) -> None:
        """Finish what was asked, end the thread, close the connection."""
        self._closed = True
        self._calls.put(None)
        await asyncio.to_thread(self._thread.join)
        with translated(self._path):
            self._connection.close()

    def _serve(self) -> None:
        while (first := self._calls.get()) is not None:
            group, last = self._group(first)
            outcomes = self._commit(group)
            self._loop.call_soon_threadsafe(_deliver, outcomes)
            if last:
                return
            self._commits += 1
            if self._calls.empty() and self._rows() >= CHECKPOINT_ROWS:
                self._move_log()

    def _rows(self) -> int:
        rows = self._connection.total_changes - self._moved_rows
        return rows + COMMIT_ROWS * self._commits

    def _move_log(self) -> None:
        """Move the log into the database.

        SQLite does so by itself, but within a commit, which then takes 25 ms and not 2: at 4,000
        placements a second one of sixty, and all that come meanwhile wait for it.
        """
        self._commits = 0
        self._moved_rows = self._connection.total_changes
        with suppress(sqlite3.Error):  # within a commit it is tried again, and told
            self._connection.execute(CHECKPOINT).fetchall()

    def _group(self, first: _Call) -> tuple[list[_Call], bool]:
        """Return what waits already, and whether the end was among it."""
        group = [first]
        while len(group) < MAX_GROUP:
            try:
                call = self._calls.get_nowait()
            except Empty:
                return group, False
            if call is None:
                return group, True
            group.append(call)
        return group, False

    def _commit(self, group: list[_Call]) -> list[_Outcome]:
        try:
            with translated(self._path), _transaction(self._connection) as connection:
                if len(group) == 1:
                    # What fails is all that there is. A savepoint is two more steps of SQLite, and
                    # beside a busy loop each waits for the interpreter.
                    only = group[0]
                    return [_Outcome(only.future, only.work(connection), None)]
                return [self._attempt(call) for call in group]
        except Exception as error:  # noqa: BLE001 - each caller is told; the thread lives on
            return [_Outcome(call.future, None, _own(error)) for call in group]

    def _attempt(self, call: _Call) -> _Outcome:
        self._connection.execute("SAVEPOINT one")
        try:
            with translated(self._path):
                result = call.work(self._connection)
        except (TransientFault, StoreDamaged):
            raise
        except Exception as error:  # noqa: BLE001 - this caller's alone
            self._connection.execute("ROLLBACK TO one")
            outcome = _Outcome(call.future, None, error)
        else:
            outcome = _Outcome(call.future, result, None)
        self._connection.execute("RELEASE one")
        return outcome


@contextmanager
def _transaction(connection: sqlite3.Connection) -> Iterator[sqlite3.Connection]:
    try:
        connection.execute("BEGIN IMMEDIATE")
        yield connection
        connection.execute("COMMIT")
    finally:
        if connection.in_transaction:
            connection.execute("ROLLBACK")


def _own(error: Exception) -> Exception:
    """Return an exception for one caller: a shared one would gather every caller's traceback."""
    if not isinstance(error, StoreError):
        return error
    own = type(error)(str(error), error.hint)
    own.__cause__ = error.__cause__
    return own


def _deliver(outcomes: list[_Outcome]) -> None:
    for future, result, error in outcomes:
        if future.done():
            continue
        if error is None:
            future.set_result(result)
        else:
            future.set_exception(error)
