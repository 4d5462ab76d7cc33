"""A thread with a reading connection, so that no read holds up a commit or the loop.

`fetch` lets SQLite join a page into one JSON text: stepping row by row takes the interpreter's lock
once a row, and beside a busy loop each of these waits for 5 ms. Never writes.
"""

import asyncio
import sqlite3
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any, NamedTuple

import orjson

from persistence.errors import StoreDamaged
from persistence.ports import Item
from persistence.sqlite.faults import RESTORE, translated
from persistence.sqlite.writer import Result, Work

MAX_TEXT_BYTES = 4 * 1024 * 1024
"""SQLite refuses to join more than this; such a page is asked for again, shorter.

Parsing this much holds the interpreter for 10 ms at most.
"""
_SHORTER = 8


class Chunk(NamedTuple):
    """What one statement brought, and whether there may be more after it."""

    items: list[Item]
    more: bool


class Reader:
    """Runs functions on a reading connection, one after the other."""

    def __init__(self, connection: sqlite3.Connection, path: Path) -> None:
        connection.text_factory = bytes
        connection.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, MAX_TEXT_BYTES)
        self._connection = connection
        self._path = path
        self._threads = ThreadPoolExecutor(1, "store-reader")

    async def run(self, work: Work[Result]) -> Result:
        """Do `work` in the thread. Raises TransientFault, PermanentFault or StoreDamaged."""
        return await asyncio.get_running_loop().run_in_executor(self._threads, self._do, work)

    async def close(self) -> None:
        """Cut short what still runs, end the thread, close the connection."""
        self._connection.interrupt()
        await asyncio.to_thread(self._threads.shutdown, cancel_futures=True)
        with translated(self._path):
            self._connection.close()

    def _do(self, work: Work[Result]) -> Result:
        try:
            with translated(self._path):
                return work(self._connection)
        except orjson.JSONDecodeError as error:
            raise StoreDamaged(
                f"{self._path}: an item is no JSON", RESTORE.format(path=self._path)
            ) from error


def fetch(
    connection: sqlite3.Connection, select: str, arguments: Sequence[Any], limit: int
) -> Chunk:
    """Return the items of `select`, which gives a column `item` in order, at most `limit`."""
    joined = f"SELECT group_concat(item, ',') FROM ({select} LIMIT ?)"  # noqa: S608 - a constant of ours
    while True:
        try:
            text = connection.execute(joined, (*arguments, limit)).fetchone()[0] or b""
        except sqlite3.DataError:
            if limit == 1:
                raise
            limit = max(1, limit // _SHORTER)
        else:
            items: list[Item] = orjson.loads(b"[" + text + b"]")
            return Chunk(items, len(items) == limit)
