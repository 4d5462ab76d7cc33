"""A store in memory: small, honest, and proven by the same contract as the others.

Unit tests of the server use it. Everything passes through JSON, so that what a test stores is what
a real store would give back.
"""

import asyncio
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from functools import partial
from typing import Any

import orjson

from persistence.blobs import (
    check_blob_key,
    check_fence,
    checked_metadata,
    fence_of,
    own_fence,
)
from persistence.errors import LeaseLost, PermanentFault, StoreInUse
from persistence.items import (
    LAST_CHAR,
    check_filter,
    check_item,
    check_transaction,
    checked_key,
    cursor_at,
    encoded_item,
    holds,
    index_cursor,
    index_place,
    is_empty_range,
    is_number,
    key_at,
    key_of,
    require,
    target_of,
    updated,
)
from persistence.ports import (
    LATEST,
    Blob,
    Check,
    Condition,
    Delete,
    Holding,
    Index,
    Item,
    Key,
    Lookback,
    Page,
    Put,
    Rectangle,
    Step,
    Store,
    Table,
    Update,
    Write,
)
from persistence.tables import HISTORY
from persistence.values import decoded

Rows = dict[tuple[str, Key], bytes]


def open_memory(wall_ms: Callable[[], int] = lambda: 0, rows: Rows | None = None) -> Store:
    """A store in memory; `rows` is what it holds, to look behind the port or to open it again."""
    tables = MemoryTables(rows if rows is not None else {}, wall_ms)
    return Store(tables, MemoryJournal(tables), MemoryBlobs(), MemoryLease([0, 0, ""]))


class MemoryTables:
    def __init__(self, rows: Rows, wall_ms: Callable[[], int]) -> None:
        self.rows = rows
        self._wall_ms = wall_ms

    async def get(self, table: Table, key: Key) -> Item | None:
        return self._find(table, checked_key(key))

    async def write(self, write: Write) -> Item | None:
        await self.transact([write])
        return self._find(write.table, target_of(write))

    async def transact(self, writes: Sequence[Step]) -> None:
        check_transaction(writes)
        staged = [(write.table.name, target_of(write), self._result(write)) for write in writes]
        self._store(staged)

    async def get_many(self, table: Table, keys: Sequence[Key]) -> list[Item | None]:
        return [self._find(table, checked_key(key)) for key in keys]

    async def put_many(self, table: Table, items: Sequence[Item]) -> None:
        self._store([(table.name, key_of(table, i), self._result(Put(table, i))) for i in items])

    async def delete_many(self, table: Table, keys: Sequence[Key]) -> None:
        self._store([(table.name, checked_key(key), None) for key in keys])

    def _store(self, staged: Sequence[tuple[str, Key, bytes | None]]) -> None:
        for name, key, item in staged:
            if item is None:
                self.rows.pop((name, key), None)
            else:
                self.rows[name, key] = item

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
        if where is not None:
            check_filter(where, (table.partition, table.sort))
        keys = [
            key
            for name, key in sorted(self.rows)
            if name == table.name
            and key.partition == partition
            and key.sort.startswith(prefix)
            and after < key.sort
            and (up_to is None or key.sort <= up_to)
        ]
        items = [item for key in keys if (item := self._find(table, key)) is not None]
        items = [item for item in items if where is None or holds(where, item)]
        items = items if ascending else items[::-1]
        sorts = [item[table.sort] for item in items]
        if cursor is not None:
            sorts = [sort for sort in sorts if (sort > cursor if ascending else sort < cursor)]
        items = items[len(items) - len(sorts) :]
        following = sorts[limit - 1] if len(sorts) > limit else None
        return Page(items[:limit], following)

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
        if where is not None:
            check_filter(where, (index.partition, index.sort))
        if is_empty_range(index, at_least, at_most):
            return Page([], None)
        if cursor is not None:
            index_place(index, cursor)
        found = [
            item
            for item in self._indexed(table, index, partition)
            if (at_least is None or item[index.sort] >= at_least)
            and (at_most is None or item[index.sort] <= at_most)
            and (where is None or holds(where, item))
        ]
        found.sort(key=partial(_order, table, index), reverse=not ascending)
        if cursor is not None:
            places = [index_cursor(table, index, item) for item in found]
            found = found[places.index(cursor) + 1 :]
        more = len(found) > limit
        return Page(found[:limit], index_cursor(table, index, found[limit - 1]) if more else None)

    def _indexed(self, table: Table, index: Index, partition: str) -> list[Item]:
        keys = [key for name, key in self.rows if name == table.name]
        items = [item for key in keys if (item := self._find(table, key)) is not None]
        names = {table.partition, table.sort, index.partition, index.sort, *(index.include or ())}
        return [
            {name: item[name] for name in item if index.include is None or name in names}
            for item in items
            if item.get(index.partition) == partition and index.sort in item
        ]

    async def scan(self, table: Table, *, limit: int = 1000, cursor: str | None = None) -> Page:
        after = Key("", "") if cursor is None else key_at(cursor)
        keys = [key for name, key in sorted(self.rows) if name == table.name and key > after]
        items = [item for key in keys if (item := self._find(table, key)) is not None]
        more = len(items) > limit
        return Page(items[:limit], cursor_at(key_of(table, items[limit - 1])) if more else None)

    def _result(self, write: Step) -> bytes | None:
        """What a write leaves behind, as JSON."""
        key = target_of(write)
        found = self._find(write.table, key)
        require(write.condition, found, key)
        match write:
            case Delete():
                return None
            case Check():
                return self.rows.get((write.table.name, key))
            case Put():
                item = write.item
            case Update():
                item = updated(write, found)
        check_item(write.table, item)
        return encoded_item(item)

    def _find(self, table: Table, key: Key) -> Item | None:
        content = self.rows.get((table.name, key))
        if content is None:
            return None
        item: Item = decoded(content)
        expires_s = item.get(table.ttl) if table.ttl else None
        if expires_s is None or not is_number(expires_s):
            return item
        return None if expires_s <= self._wall_ms() // 1000 else item


class MemoryJournal:
    def __init__(self, tables: MemoryTables) -> None:
        self._tables = tables

    async def commit(self, items: Sequence[Item], writes: Sequence[Step] = ()) -> None:
        rows = {(HISTORY.name, key_of(HISTORY, item)): encoded_item(item) for item in items}
        await self._tables.transact(writes)
        self._tables.rows.update(rows)

    async def read(
        self,
        partitions: Sequence[str],
        *,
        after: str = "",
        up_to: str | None = None,
        page: int = 5000,
    ) -> AsyncIterator[list[Item]]:
        items = self._between(partitions, Lookback(after, up_to))
        for first in range(0, len(items), page):
            yield items[first : first + page]

    async def count(
        self, partitions: Sequence[str], *, after: str = "", up_to: str | None = None
    ) -> int:
        return len(self._between(partitions, Lookback(after, up_to)))

    async def delete(self, keys: Sequence[Key]) -> None:
        for key in keys:
            self._tables.rows.pop((HISTORY.name, checked_key(key)), None)

    async def within(
        self, partitions: Sequence[str], area: Rectangle, look: Lookback = LATEST
    ) -> Page:
        found = [
            item
            for item in self._between(partitions, look)
            if "x_original" in item
            and area.x1 <= item["x_original"] <= area.x2
            and area.y1 <= item["y_original"] <= area.y2
        ]
        return older(found, look)

    async def by_user(self, user_id: str, look: Lookback = LATEST) -> Page:
        found = self._between(None, look)
        return older([item for item in found if item.get("userId") == user_id], look)

    async def newest(self, partitions: Sequence[str], look: Lookback = LATEST) -> Page:
        return older(self._between(partitions, look), look)

    def _between(self, partitions: Sequence[str] | None, look: Lookback) -> list[Item]:
        return [
            item
            for item in self._all(partitions)
            if item["SK"] > look.after and (look.up_to is None or item["SK"] <= look.up_to)
        ]

    def _all(self, partitions: Sequence[str] | None) -> list[Item]:
        """History items in order of SK, then of partition."""
        found = [
            (key.sort, key.partition, content)
            for (name, key), content in self._tables.rows.items()
            if name == HISTORY.name and (partitions is None or key.partition in partitions)
        ]
        return [decoded(content) for _, _, content in sorted(found)]


class MemoryBlobs:
    def __init__(self) -> None:
        self.blobs: dict[str, Blob] = {}

    async def put(
        self, key: str, data: bytes, metadata: Mapping[str, str], *, fenced: bool = False
    ) -> None:
        blob = Blob(bytes(data), checked_metadata(metadata))
        stored = self.blobs.get(check_blob_key(key))
        if fenced:
            check_fence(own_fence(metadata), fence_of(stored.metadata) if stored else 0, key)
        self.blobs[key] = blob

    async def get(self, key: str) -> Blob | None:
        return self.blobs.get(check_blob_key(key))

    async def list(self, prefix: str) -> list[str]:
        return sorted(key for key in self.blobs if key.startswith(prefix))

    async def delete(self, key: str) -> None:
        self.blobs.pop(check_blob_key(key), None)


class MemoryLease:
    """`shared` is [fence, how many hold it, where]: two leases on one list are rivals."""

    def __init__(self, shared: list[Any]) -> None:
        self._shared = shared
        self._held = False

    async def acquire(self, *, above: int = 0) -> int:
        if self._shared[1] and not self._held:
            url: str = self._shared[2]
            raise StoreInUse("another lease holds this store", "release it first", url=url)
        self._held = True
        fence: int = max(above, self._shared[0]) + 1
        self._shared[:] = [fence, 1, ""]
        return fence

    def valid(self) -> bool:
        return self._held

    async def lost(self) -> LeaseLost:
        never: asyncio.Future[LeaseLost] = asyncio.get_running_loop().create_future()
        return await never

    async def tell(self, url: str) -> None:
        self._shared[2] = url

    async def look(self) -> Holding:
        fence, is_held, url = self._shared
        return Holding(fence, "another lease", url) if is_held else Holding(fence)

    async def release(self) -> None:
        if self._held:
            self._held = False
            self._shared[1] = 0


def _order(table: Table, index: Index, item: Item) -> tuple[Any, ...]:
    return (item[index.sort], *key_of(table, item))


def older(items: Sequence[Item], look: Lookback) -> Page:
    """A page newest first; new items may come between two pages."""
    last = (LAST_CHAR, LAST_CHAR)
    try:
        if look.cursor is not None:
            last_sk, last_pk = orjson.loads(look.cursor)
            last = (last_sk, last_pk)
    except (ValueError, TypeError) as error:
        raise PermanentFault("no cursor of this store") from error
    rest = [item for item in items[::-1] if (item["SK"], item["PK"]) < last]
    page = rest[: look.limit]
    more = len(rest) > look.limit
    return Page(page, orjson.dumps([page[-1]["SK"], page[-1]["PK"]]).decode() if more else None)
