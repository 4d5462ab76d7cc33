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
from persistence.sqlite.faults import translated
from persistence.sqlite.writer import Result, Work
from persistence.values import decoded

MAX_TEXT_BYTES = 4 * 1024 * 1024
"""SQLite refuses to join more than this; such a page is asked for again, shorter.

Parsing this much holds the interpreter for 10 ms at most.
"""
_SHORTER = 8
_SHOWN_BYTES = 160
"""Of an item that cannot be read: its keys stand first."""
_LOOK = (
    "nothing was changed; stop the server, keep a copy of the data directory, let `tesserae store "
    "check` tell what else is damaged, and restore a backup"
)


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
        with translated(self._path):
            return work(self._connection)


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
            items = _items(connection, text, select, arguments, limit)
            return Chunk(items, len(items) == limit)


def parsed(content: bytes | str, place: str) -> Item:
    """Return an item. Raises StoreDamaged when it is none; `place` tells which it would be."""
    try:
        item: Item = decoded(content if isinstance(content, bytes) else content.encode())
    except orjson.JSONDecodeError as error:
        raise StoreDamaged(f"the item {place} is no JSON: {error}", _LOOK) from error
    return item


def _items(
    connection: sqlite3.Connection, text: bytes, select: str, arguments: Sequence[Any], limit: int
) -> list[Item]:
    try:
        items: list[Item] = decoded(b"[" + text + b"]")
    except orjson.JSONDecodeError:
        # One after the other, to find and name the one that is broken.
        apart = f"SELECT item FROM ({select} LIMIT ?)"  # noqa: S608 - a constant of ours
        rows = connection.execute(apart, (*arguments, limit))
        return [parsed(row[0], f"{row[0][:_SHOWN_BYTES]!r}") for row in rows]
    return items
