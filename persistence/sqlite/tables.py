"""Tables on SQLite: items by key, and the writes that the journal does in its transactions.

Conditions and updates are read-modify-write in the writing thread, which is alone. Expired items
are absent for every reader and for every condition; each write sweeps a few of them off the disk.
"""

# ruff: noqa: S608 - statements hold declared names and constants only; values are bound

import sqlite3
from collections.abc import Callable, Sequence

import orjson

from persistence.items import (
    LAST_CHAR,
    check_transaction,
    checked_key,
    cursor_at,
    encoded_item,
    key_at,
    key_of,
    require,
    target_of,
    updated,
)
from persistence.ports import Delete, Item, Key, Page, Put, Table, Update, Write
from persistence.sqlite.reader import Reader, fetch
from persistence.sqlite.schema import UNSORTED_SEGMENT, insert, note_segment
from persistence.sqlite.writer import Writer
from persistence.tables import HISTORY

SWEPT_PER_WRITE = 8


class SqliteTables:
    """The `Tables` port; `wall_ms` tells what has expired."""

    def __init__(self, writer: Writer, reader: Reader, wall_ms: Callable[[], int]) -> None:
        self._writer = writer
        self._reader = reader
        self._wall_ms = wall_ms

    async def get(self, table: Table, key: Key) -> Item | None:
        """Read one item, consistently."""
        checked_key(key)
        now_s = self._now_s()
        return await self._reader.run(lambda connection: _get(connection, table, key, now_s))

    async def write(self, write: Write) -> Item | None:
        """Do one write; returns the item as it is now (None after a delete)."""
        target_of(write)
        now_s = self._now_s()
        return await self._writer.run(lambda connection: apply(connection, write, now_s))

    async def transact(self, writes: Sequence[Write]) -> None:
        """Do all writes or none. Raises ConditionFailed."""
        check_transaction(writes)
        now_s = self._now_s()
        await self._writer.run(lambda connection: apply_all(connection, writes, now_s))

    async def query(
        self,
        table: Table,
        partition: str,
        *,
        prefix: str = "",
        after: str = "",
        up_to: str | None = None,
        ascending: bool = True,
        limit: int = 1000,
        cursor: str | None = None,
    ) -> Page:
        """Items of a partition in sort-key order: sort > `after`, sort <= `up_to`, with `prefix`.

        The cursor is the last sort key that the page before it gave.
        """
        select = _Select(table)
        select.where(table.partition, "=", partition)
        select.where(table.sort, ">", after)
        if prefix:
            select.where(table.sort, ">=", prefix)
            select.where(table.sort, "<", prefix + LAST_CHAR)
        if up_to is not None:
            select.where(table.sort, "<=", up_to)
        if cursor is not None:
            select.where(table.sort, ">" if ascending else "<", cursor)
        text, arguments = select.finished(ascending, self._now_s())
        items, more = await self._reader.run(
            lambda connection: fetch(connection, text, arguments, limit)
        )
        return Page(items, items[-1][table.sort] if more else None)

    async def scan(self, table: Table, *, limit: int = 1000, cursor: str | None = None) -> Page:
        """Items of a whole table, by their keys."""
        select = _Select(table)
        select.after(key_at(cursor) if cursor is not None else Key("", ""))
        text, arguments = select.finished(True, self._now_s())
        items, more = await self._reader.run(
            lambda connection: fetch(connection, text, arguments, limit)
        )
        return Page(items, cursor_at(key_of(table, items[-1])) if more else None)

    def _now_s(self) -> int:
        return self._wall_ms() // 1000


class _Select:
    """A query under construction: bounds with their values."""

    def __init__(self, table: Table) -> None:
        self._table = table
        self._bounds: list[str] = []
        self._arguments: list[str | int] = []

    def where(self, name: str, operator: str, value: str) -> None:
        """Narrow the query."""
        self._bounds.append(f'"{name}" {operator} ?')
        self._arguments.append(value)

    def after(self, key: Key) -> None:
        """Narrow the query to what comes after a key."""
        table = self._table
        self._bounds.append(f'("{table.partition}", "{table.sort}") > (?, ?)')
        self._arguments += key

    def finished(self, ascending: bool, now_s: int) -> tuple[str, list[str | int]]:
        """Return the statement without its limit, and its arguments."""
        table = self._table
        if table.ttl is not None:
            self._bounds.append(_alive(table))
            self._arguments.append(now_s)
        order = "ASC" if ascending else "DESC"
        bounds = " AND ".join(self._bounds)
        keys = f'"{table.partition}" {order}, "{table.sort}" {order}'
        text = f'SELECT item FROM "{table.name}" WHERE {bounds} ORDER BY {keys}'
        return text, self._arguments


def apply_all(connection: sqlite3.Connection, writes: Sequence[Write], now_s: int) -> None:
    """Do `writes` inside the caller's transaction. Raises ConditionFailed."""
    for write in writes:
        apply(connection, write, now_s)


def apply(connection: sqlite3.Connection, write: Write, now_s: int) -> Item | None:
    """Do one write inside the caller's transaction; returns the item as it is now."""
    key = target_of(write)
    found = None
    if write.condition is not None or isinstance(write, Update):
        found = _get(connection, write.table, key, now_s)
        require(write.condition, found, key)
    _sweep(connection, write.table, now_s)
    if isinstance(write, Delete):
        _delete(connection, write.table, key)
        return None
    item = write.item if isinstance(write, Put) else updated(write, found)
    return _put(connection, write.table, item)


def _put(connection: sqlite3.Connection, table: Table, item: Item) -> Item:
    key = key_of(table, item)
    content = encoded_item(item)
    array = f"[{content.decode()}]"
    if table is HISTORY:
        connection.execute(insert(table), (array, UNSORTED_SEGMENT))
        note_segment(connection, UNSORTED_SEGMENT, key.sort, key.sort)
    else:
        connection.execute(insert(table), (array,))
    stored: Item = orjson.loads(content)
    return stored


def _get(connection: sqlite3.Connection, table: Table, key: Key, now_s: int) -> Item | None:
    alive = "" if table.ttl is None else f" AND {_alive(table)}"
    arguments = (*key, now_s) if alive else key
    row = connection.execute(
        f'SELECT item FROM "{table.name}" '
        f'WHERE "{table.partition}" = ? AND "{table.sort}" = ?{alive}',
        arguments,
    ).fetchone()
    if row is None:
        return None
    item: Item = orjson.loads(row[0])
    return item


def _delete(connection: sqlite3.Connection, table: Table, key: Key) -> None:
    connection.execute(
        f'DELETE FROM "{table.name}" WHERE "{table.partition}" = ? AND "{table.sort}" = ?',
        key,
    )


def _sweep(connection: sqlite3.Connection, table: Table, now_s: int) -> None:
    if table.ttl is None:
        return
    keys = f'"{table.partition}", "{table.sort}"'
    connection.execute(
        f'DELETE FROM "{table.name}" WHERE ({keys}) IN (SELECT {keys} FROM "{table.name}" '
        f'WHERE "{table.ttl}" <= ? ORDER BY "{table.ttl}" LIMIT {SWEPT_PER_WRITE})',
        (now_s,),
    )


def _alive(table: Table) -> str:
    return f'("{table.ttl}" IS NULL OR "{table.ttl}" > ?)'
