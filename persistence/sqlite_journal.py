"""The Journal on SQLite: the history, written in batches and read in order.

A batch is one JSON text that SQLite takes apart itself in one statement: row by row would take the
interpreter's lock once a row and fall from 20,000 to 400 items/s beside a busy loop
(bench/store.py). Cursors hold the last SK and PK, since users' histories span partitions.
"""

# ruff: noqa: S608 - statements hold constants only; values are bound

import sqlite3
from collections.abc import AsyncIterator, Callable, Sequence
from typing import Any, NamedTuple

import orjson

from persistence.errors import PermanentFault
from persistence.items import check_transaction, checked_key, encoded, key_of
from persistence.ports import Item, Key, Page, Rectangle, Write
from persistence.sqlite_reader import Chunk, Reader, fetch
from persistence.sqlite_schema import SEGMENT_ITEMS, insert
from persistence.sqlite_tables import apply_all
from persistence.sqlite_writer import Writer
from persistence.tables import HISTORY

CHUNK_ITEMS = 1000
"""Items that one statement reads: parsing them holds the interpreter for 3 ms at most."""

_INSERT = insert(HISTORY)
_DELETE = """
DELETE FROM history WHERE (PK, SK) IN
(SELECT json_extract(value, '$[0]'), json_extract(value, '$[1]') FROM json_each(?1))"""
_LAST_SEGMENT = """
SELECT coalesce(max(segment), 0) FROM history INDEXED BY UserIndex WHERE userId IS NOT NULL"""

# Skips from segment to segment, newest first, by one seek each.
_SEGMENTS = """
WITH RECURSIVE segments (n) AS (
  SELECT (SELECT segment FROM history INDEXED BY {index}
    WHERE {where} ORDER BY segment DESC LIMIT 1)
  UNION ALL
  SELECT (SELECT segment FROM history INDEXED BY {index}
    WHERE {where} AND segment < n ORDER BY segment DESC LIMIT 1)
  FROM segments WHERE n IS NOT NULL)"""
_AREA_SEGMENTS = _SEGMENTS.format(index="XOriginalIndex", where="PK = ? AND x_original IS NOT NULL")
_USER_SEGMENTS = _SEGMENTS.format(index="UserIndex", where="userId IS NOT NULL")
_AREA_KEYS = f"""
SELECT PK, SK FROM ({_AREA_SEGMENTS}
SELECT PK, SK FROM segments CROSS JOIN history INDEXED BY XOriginalIndex
WHERE PK = ? AND segment = n AND x_original {{x_side}} AND y_original BETWEEN ? AND ?
AND SK {{bound}} ?)"""
_USER_KEYS = f"""{_USER_SEGMENTS}
SELECT PK, SK FROM segments CROSS JOIN history INDEXED BY UserIndex
WHERE segment = n AND userId = ? AND SK <= ? AND (SK < ? OR PK < ?)"""
_ITEMS = """
SELECT item FROM (SELECT * FROM ({keys}) ORDER BY SK DESC, PK DESC LIMIT ?) AS found
CROSS JOIN history USING (PK, SK) ORDER BY SK DESC, PK DESC"""
_END = b""
"""SQLite sorts every blob after every text: the bound of a first page, newest first."""


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

    async def commit(self, items: Sequence[Item], writes: Sequence[Write] = ()) -> None:
        """Make history items durable, with `writes` in the same transaction."""
        for item in items:
            key_of(HISTORY, item)
        check_transaction(writes)
        text, segment, now_s = (
            encoded(items).decode(),
            self._next_segment(len(items)),
            self._wall_ms() // 1000,
        )

        def work(connection: sqlite3.Connection) -> None:
            connection.execute(_INSERT, (text, segment))
            apply_all(connection, writes, now_s)

        await self._writer.run(work)

    async def read(
        self, partitions: Sequence[str], *, after: str = "", page: int = 5000
    ) -> AsyncIterator[list[Item]]:
        """All items with SK > `after`, merged in SK order, in pages of at most `page`."""
        last, more = Key("", after), bool(partitions)
        while more:
            scan = _Scan(partitions, last, page)
            items, more = await self._reader.run(scan.page)
            if items:
                last = key_of(HISTORY, items[-1])
                yield items

    async def count(self, partitions: Sequence[str], *, after: str = "") -> int:
        """How many items `read` would yield."""
        counts = (
            "SELECT count(*) FROM history WHERE SK > ? AND PK IN (SELECT value FROM json_each(?))"
        )
        arguments = (after, orjson.dumps(list(partitions)).decode())
        row = await self._reader.run(lambda found: found.execute(counts, arguments).fetchone())
        return int(row[0])

    async def delete(self, keys: Sequence[Key]) -> None:
        """Delete history items; not an error when they are not there."""
        text = orjson.dumps([list(checked_key(key)) for key in keys]).decode()

        def work(connection: sqlite3.Connection) -> None:
            connection.execute(_DELETE, (text,))

        await self._writer.run(work)

    async def within(
        self,
        partitions: Sequence[str],
        area: Rectangle,
        *,
        limit: int = 1000,
        cursor: str | None = None,
    ) -> Page:
        """Placements in an area as full items, newest first."""
        if not partitions:
            return Page([], None)
        last = _position(cursor)
        parts = [_area_keys(partition, area, last) for partition in partitions]
        keys = " UNION ALL ".join(text for text, _ in parts)
        arguments = [argument for _, given in parts for argument in given]
        return await self._newest_first(keys, arguments, limit)

    async def by_user(self, user_id: str, *, limit: int = 1000, cursor: str | None = None) -> Page:
        """A user's placements as full items, newest first."""
        last = _position(cursor)
        arguments = (
            (user_id, _END, _END, "")
            if last is None
            else (user_id, last.sort, last.sort, last.partition)
        )
        return await self._newest_first(_USER_KEYS, arguments, limit)

    async def _newest_first(self, keys: str, arguments: Sequence[Any], limit: int) -> Page:
        select = _ITEMS.format(keys=keys)
        items, more = await self._reader.run(
            lambda connection: fetch(connection, select, (*arguments, limit), limit)
        )
        return Page(items, _cursor(items[-1]) if more else None)

    def _next_segment(self, count: int) -> int:
        if self._in_segment >= SEGMENT_ITEMS:
            self._segment += 1
            self._in_segment = 0
        self._in_segment += count
        return self._segment


def last_segment(connection: sqlite3.Connection) -> int:
    """Return the highest segment in use, 0 when there is none."""
    return int(connection.execute(_LAST_SEGMENT).fetchone()[0])


class _Scan(NamedTuple):
    """One page of the history in SK order, read in the reader's thread."""

    partitions: Sequence[str]
    last: Key
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
            f"SELECT PK, SK, item FROM history WHERE PK = ? AND SK {_after(partition, last)} ?"
            for partition in self.partitions
        ]
        arguments = [text for partition in self.partitions for text in (partition, last.sort)]
        return fetch(connection, " UNION ALL ".join(parts) + " ORDER BY SK, PK", arguments, limit)


def _after(partition: str, last: Key) -> str:
    """Compare so that of two partitions' items with one SK neither is lost or read twice."""
    return ">=" if last.partition and partition > last.partition else ">"


def _area_keys(partition: str, area: Rectangle, last: Key | None) -> tuple[str, Sequence[Any]]:
    """Return the keys in an area; one column of cells is sought, more are scanned."""
    one = area.x1 == area.x2
    bound = "<=" if last is not None and partition < last.partition else "<"
    text = _AREA_KEYS.format(x_side="= ?" if one else "BETWEEN ? AND ?", bound=bound)
    x_sides = (area.x1,) if one else (area.x1, area.x2)
    upper = _END if last is None else last.sort
    return text, (partition, partition, partition, *x_sides, area.y1, area.y2, upper)


def _cursor(item: Item) -> str:
    return orjson.dumps(list(key_of(HISTORY, item))).decode()


def _position(cursor: str | None) -> Key | None:
    """Return where a page ended. Raises PermanentFault for what is no cursor of ours."""
    if cursor is None:
        return None
    try:
        partition, sort = orjson.loads(cursor)
    except (ValueError, TypeError) as error:
        raise PermanentFault("no cursor of this store", "begin without a cursor") from error
    return checked_key(Key(partition, sort))
