"""Tables on SQLite: items by key, and the writes that the journal does in its transactions.

Conditions and updates are read-modify-write in the writing thread, which is alone. Expired items
are absent for every reader and for every condition; each write sweeps a few of them off the disk.
"""

# ruff: noqa: S608 - statements hold declared names and constants only; values are bound

import sqlite3
from collections.abc import Callable, Sequence

from persistence.items import (
    LAST_CHAR,
    check_filter,
    check_item,
    check_transaction,
    checked_key,
    cursor_at,
    encoded_item,
    index_cursor,
    index_place,
    is_empty_range,
    key_at,
    key_of,
    require,
    target_of,
    updated,
)
from persistence.ports import (
    Check,
    Condition,
    Delete,
    Index,
    Item,
    Key,
    Page,
    Put,
    Step,
    Table,
    Update,
    Write,
)
from persistence.sqlite.reader import Reader, parsed
from persistence.sqlite.schema import UNSORTED_SEGMENT, insert, note_segment
from persistence.sqlite.selecting import Found, Reading, Select, alive, index_columns, projection
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

    async def transact(self, writes: Sequence[Step]) -> None:
        """Do all writes or none. Raises ConditionFailed."""
        check_transaction(writes)
        now_s = self._now_s()
        await self._writer.run(lambda connection: apply_all(connection, writes, now_s))

    async def get_many(self, table: Table, keys: Sequence[Key]) -> list[Item | None]:
        """Read items in the order of the keys."""
        wanted, now_s = [checked_key(key) for key in keys], self._now_s()
        return await self._reader.run(
            lambda connection: [_get(connection, table, key, now_s) for key in wanted]
        )

    async def put_many(self, table: Table, items: Sequence[Item]) -> None:
        """Write whole items; of items with one key the last counts."""
        keys = [key_of(table, item) for item in items]
        contents = [_content(table, item) for item in items]
        now_s = self._now_s()

        def work(connection: sqlite3.Connection) -> None:
            _sweep(connection, table, now_s)
            _insert(connection, table, keys, contents)

        if items:
            await self._writer.run(work)

    async def delete_many(self, table: Table, keys: Sequence[Key]) -> None:
        """Remove items; not an error when they are not there."""
        deletes, now_s = [Delete(table, checked_key(key)) for key in keys], self._now_s()
        await self._writer.run(lambda connection: apply_all(connection, deletes, now_s))

    async def query(
        self,
        table: Table,
        partition: str,
        *,
        prefix: str = "",
        after: str = "",
        up_to: str | None = None,
        where: Condition | None = None,
        ascending: bool = True,
        limit: int = 1000,
        cursor: str | None = None,
    ) -> Page:
        """Items of a partition in sort-key order: sort > `after`, sort <= `up_to`, with `prefix`.

        The cursor is the last sort key that was looked at.
        """
        if where is not None:
            check_filter(where, (table.partition, table.sort))
        select = Select(table, self._now_s())
        select.where(table.partition, "=", partition)
        select.where(table.sort, ">", after)
        if prefix:
            select.where(table.sort, ">=", prefix)
            select.where(table.sort, "<", prefix + LAST_CHAR)
        if up_to is not None:
            select.where(table.sort, "<=", up_to)
        reading = Reading(select, (table.sort,), limit, ascending, where)
        found = await self._page(reading, None if cursor is None else {table.sort: cursor})
        return Page(found.items, None if found.last is None else found.last[table.sort])

    async def by_index(
        self,
        table: Table,
        index: Index,
        partition: str,
        *,
        at_least: str | float | None = None,
        at_most: str | float | None = None,
        where: Condition | None = None,
        ascending: bool = True,
        limit: int = 1000,
        cursor: str | None = None,
    ) -> Page:
        """Items of an index's partition in the order of its sort attribute, then of their keys.

        For the history that is a walk over the partition: its lookups are the journal's.
        """
        if where is not None:
            check_filter(where, (index.partition, index.sort))
        if is_empty_range(index, at_least, at_most):
            return Page([], None)
        select = Select(table, self._now_s())
        select.where(index.partition, "=", partition)
        select.present(index.sort)
        for operator, bound in ((">=", at_least), ("<=", at_most)):
            if bound is not None:
                select.where(index.sort, operator, bound)
        reading = Reading(
            select,
            index_columns(table, index),
            limit,
            ascending,
            where,
            projection(table, index),
        )
        found = await self._page(reading, None if cursor is None else _place(table, index, cursor))
        return Page(
            found.items, None if found.last is None else index_cursor(table, index, found.last)
        )

    async def scan(self, table: Table, *, limit: int = 1000, cursor: str | None = None) -> Page:
        """Items of a whole table, by their keys."""
        keys = (table.partition, table.sort)
        place = None if cursor is None else dict(zip(keys, key_at(cursor), strict=True))
        found = await self._page(Reading(Select(table, self._now_s()), keys, limit), place)
        return Page(
            found.items, None if found.last is None else cursor_at(key_of(table, found.last))
        )

    async def _page(self, reading: Reading, place: Item | None) -> Found:
        return await self._reader.run(lambda connection: reading.page(connection, place))

    def _now_s(self) -> int:
        return self._wall_ms() // 1000


def _place(table: Table, index: Index, cursor: str) -> Item:
    sort, key = index_place(index, cursor)
    return {index.sort: sort, table.partition: key.partition, table.sort: key.sort}


def apply_all(connection: sqlite3.Connection, writes: Sequence[Step], now_s: int) -> None:
    """Do `writes` inside the caller's transaction. Raises ConditionFailed."""
    for write in writes:
        apply(connection, write, now_s)


def apply(connection: sqlite3.Connection, write: Step, now_s: int) -> Item | None:
    """Do one write inside the caller's transaction; returns the item as it is now."""
    key = target_of(write)
    found = None
    if write.condition is not None or isinstance(write, Update):
        found = _get(connection, write.table, key, now_s)
        require(write.condition, found, key)
    if isinstance(write, Check):
        return found
    _sweep(connection, write.table, now_s)
    if isinstance(write, Delete):
        _delete(connection, write.table, key)
        return None
    item = write.item if isinstance(write, Put) else updated(write, found)
    return _put(connection, write.table, item)


def _put(connection: sqlite3.Connection, table: Table, item: Item) -> Item:
    key, content = key_of(table, item), _content(table, item)
    _insert(connection, table, [key], [content])
    return parsed(content, f"{table.name}: {key.partition} / {key.sort}")


def _content(table: Table, item: Item) -> bytes:
    check_item(table, item)
    return encoded_item(item)


def _insert(
    connection: sqlite3.Connection, table: Table, keys: Sequence[Key], contents: Sequence[bytes]
) -> None:
    array = f"[{b','.join(contents).decode()}]"
    if table is HISTORY:
        connection.execute(insert(table), (array, UNSORTED_SEGMENT))
        sorts = [key.sort for key in keys]
        note_segment(connection, UNSORTED_SEGMENT, min(sorts), max(sorts))
    else:
        connection.execute(insert(table), (array,))


def _get(connection: sqlite3.Connection, table: Table, key: Key, now_s: int) -> Item | None:
    living = "" if table.ttl is None else f" AND {alive(table)}"
    arguments = (*key, now_s) if living else key
    row = connection.execute(
        f'SELECT item FROM "{table.name}" '
        f'WHERE "{table.partition}" = ? AND "{table.sort}" = ?{living}',
        arguments,
    ).fetchone()
    return None if row is None else parsed(row[0], f"{table.name}: {key.partition} / {key.sort}")


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
