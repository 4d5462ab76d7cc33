"""The Journal on SQLite: the history, written in batches and read in order.

A batch is a few statements of many rows: row by row would take the interpreter's lock once a row
and fall from 20,000 to 400 items/s beside a busy loop (bench/store.py). What a row holds is in
sqlite/rows.py, lookups are in sqlite/lookup.py.
"""

# ruff: noqa: S608 - statements hold constants only; values are bound

import sqlite3
from collections.abc import AsyncIterator, Callable, Sequence
from typing import NamedTuple

import orjson

from persistence.items import LAST_CHAR, check_transaction, checked_key, key_of
from persistence.ports import LATEST, Item, Key, Lookback, Page, Rectangle, Step
from persistence.sqlite.lookup import Lookup, Span, in_area, newest, of_user
from persistence.sqlite.reader import Chunk, Reader, fetch
from persistence.sqlite.rows import add_rows, sorts_of, values_of
from persistence.sqlite.schema import SEGMENT_ITEMS, note_segment
from persistence.sqlite.tables import apply_all
from persistence.sqlite.writer import Writer
from persistence.tables import HISTORY

CHUNK_ITEMS = 1000
"""Items that one statement reads: parsing them holds the interpreter for 3 ms at most."""

_COUNT = """
SELECT count(*) FROM history
WHERE SK > ? AND SK <= ? AND PK IN (SELECT value FROM json_each(?))"""
_DELETE = """
DELETE FROM history WHERE (PK, SK) IN
(SELECT json_extract(value, '$[0]'), json_extract(value, '$[1]') FROM json_each(?1))"""


class SqliteJournal:
    """The `Journal` port; `wall_ms` tells what has expired among the items that writes meet."""

    def __init__(
        self, writer: Writer, reader: Reader, last_segment: int, wall_ms: Callable[[], int]
    ) -> None:
        self._writer = writer
        self._reader = reader
        self._segment = last_segment + 1
        self._in_segment = 0
        self._wall_ms = wall_ms

    async def commit(self, items: Sequence[Item], writes: Sequence[Step] = ()) -> None:
        """Make history items durable, with `writes` in the same transaction."""
        check_transaction(writes)
        values, segment = values_of(items), self._next_segment(len(items))
        now_s = self._wall_ms() // 1000

        def work(connection: sqlite3.Connection) -> None:
            if values:
                sorts = sorts_of(values)
                add_rows(connection, values, segment)
                note_segment(connection, segment, min(sorts), max(sorts))
            apply_all(connection, writes, now_s)

        await self._writer.run(work)

    async def read(
        self,
        partitions: Sequence[str],
        *,
        after: str = "",
        up_to: str | None = None,
        page: int = 5000,
    ) -> AsyncIterator[list[Item]]:
        """Items between the bounds, merged in SK order, in pages of at most `page`."""
        last, more = Key("", after), bool(partitions)
        while more:
            scan = _Scan(partitions, last, _upper(up_to), page)
            items, more = await self._reader.run(scan.page)
            if items:
                last = key_of(HISTORY, items[-1])
                yield items

    async def count(
        self, partitions: Sequence[str], *, after: str = "", up_to: str | None = None
    ) -> int:
        """How many items `read` would yield."""
        arguments = (after, _upper(up_to), orjson.dumps(list(partitions)).decode())
        row = await self._reader.run(lambda found: found.execute(_COUNT, arguments).fetchone())
        return int(row[0])

    async def delete(self, keys: Sequence[Key]) -> None:
        """Delete history items; not an error when they are not there."""
        text = orjson.dumps([list(checked_key(key)) for key in keys]).decode()

        def work(connection: sqlite3.Connection) -> None:
            connection.execute(_DELETE, (text,))

        await self._writer.run(work)

    async def within(
        self, partitions: Sequence[str], area: Rectangle, look: Lookback = LATEST
    ) -> Page:
        """Placements in an area as full items, newest first."""
        if not partitions:
            return Page([], None)
        span = Span.of(look)
        lookup = Lookup(in_area(partitions, area), span, look.limit)
        return await self._reader.run(lookup.page)

    async def by_user(self, user_id: str, look: Lookback = LATEST) -> Page:
        """A user's placements as full items, newest first."""
        span = Span.of(look)
        return await self._reader.run(Lookup(of_user(user_id), span, look.limit).page)

    async def newest(self, partitions: Sequence[str], look: Lookback = LATEST) -> Page:
        """All items of partitions, newest first."""
        if not partitions:
            return Page([], None)
        span = Span.of(look)
        return await self._reader.run(
            lambda connection: newest(connection, partitions, span, look.limit)
        )

    def _next_segment(self, count: int) -> int:
        if self._in_segment >= SEGMENT_ITEMS:
            self._segment += 1
            self._in_segment = 0
        self._in_segment += count
        return self._segment


def last_segment(connection: sqlite3.Connection) -> int:
    """Return the highest segment in use, 0 when there is none."""
    highest = "SELECT coalesce(max(segment), 0) FROM history_segments"
    return int(connection.execute(highest).fetchone()[0])


class _Scan(NamedTuple):
    """One page of the history in SK order, read in the reader's thread."""

    partitions: Sequence[str]
    last: Key
    up_to: str
    size: int

    def page(self, connection: sqlite3.Connection) -> Chunk:
        last, items, more = self.last, list[Item](), True
        while more and len(items) < self.size:
            limit = min(CHUNK_ITEMS, self.size - len(items))
            chunk, more = self._chunk(connection, last, limit)
            if chunk:
                items += chunk
                last = key_of(HISTORY, chunk[-1])
        return Chunk(items, more)

    def _chunk(self, connection: sqlite3.Connection, last: Key, limit: int) -> Chunk:
        parts = [
            f"SELECT PK, SK, item FROM history"
            f" WHERE PK = ? AND SK {_after(partition, last)} ? AND SK <= ?"
            for partition in self.partitions
        ]
        arguments = [
            text for partition in self.partitions for text in (partition, last.sort, self.up_to)
        ]
        return fetch(connection, " UNION ALL ".join(parts) + " ORDER BY SK, PK", arguments, limit)


def _upper(up_to: str | None) -> str:
    return LAST_CHAR if up_to is None else up_to


def _after(partition: str, last: Key) -> str:
    """Compare so that of two partitions' items with one SK neither is lost or read twice."""
    return ">=" if last.partition and partition > last.partition else ">"
