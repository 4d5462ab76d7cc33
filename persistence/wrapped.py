"""A store with something around each of its calls; faults and timings are such things.

Owns nothing but the delegation. The lease is not wrapped: it is taken once and decides who writes.
"""

from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Protocol, TypeVar

from persistence.ports import (
    LATEST,
    Blob,
    Blobs,
    Condition,
    Index,
    Item,
    Journal,
    Key,
    Lookback,
    Page,
    Rectangle,
    Step,
    Store,
    Table,
    Tables,
    Write,
)

Result = TypeVar("Result")

WRITES = {
    "blobs.delete",
    "blobs.put",
    "journal.commit",
    "journal.delete",
    "tables.delete_many",
    "tables.put_many",
    "tables.transact",
    "tables.write",
}
"""Operations that change something."""


class Around(Protocol):
    """What happens around one call."""

    async def __call__(
        self, operation: str, items: int, call: Callable[[], Awaitable[Result]], /
    ) -> Result:
        """Do `call`, or not; `operation` is `port.method`, `items` how many it would write."""
        ...


def wrapped(store: Store, around: Around) -> Store:
    """Return `store` with `around` about every call; each page of a read is one call."""
    return replace(
        store,
        tables=WrappedTables(store.tables, around),
        journal=WrappedJournal(store.journal, around),
        blobs=WrappedBlobs(store.blobs, around),
    )


class WrappedTables:
    """The `Tables` port."""

    def __init__(self, tables: Tables, around: Around) -> None:
        self._tables = tables
        self._around = around

    async def get(self, table: Table, key: Key) -> Item | None:
        """Read one item."""
        return await self._around("tables.get", 0, lambda: self._tables.get(table, key))

    async def write(self, write: Write) -> Item | None:
        """Do one write."""
        return await self._around("tables.write", 1, lambda: self._tables.write(write))

    async def transact(self, writes: Sequence[Step]) -> None:
        """Do all writes or none."""
        await self._around("tables.transact", len(writes), lambda: self._tables.transact(writes))

    async def get_many(self, table: Table, keys: Sequence[Key]) -> list[Item | None]:
        """Read items."""
        read = partial(self._tables.get_many, table, keys)
        return await self._around("tables.get_many", 0, read)

    async def put_many(self, table: Table, items: Sequence[Item]) -> None:
        """Write whole items."""
        put = partial(self._tables.put_many, table, items)
        await self._around("tables.put_many", len(items), put)

    async def delete_many(self, table: Table, keys: Sequence[Key]) -> None:
        """Remove items."""
        delete = partial(self._tables.delete_many, table, keys)
        await self._around("tables.delete_many", len(keys), delete)

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
        """Items of a partition in sort-key order."""
        ask = partial(self._tables.query, table, partition, prefix=prefix, after=after, up_to=up_to)
        page = partial(ask, where=where, ascending=ascending, limit=limit, cursor=cursor)
        return await self._around("tables.query", 0, page)

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
        """Items of an index's partition in the order of its sort attribute."""
        ask = partial(self._tables.by_index, table, index, partition)
        between = partial(ask, at_least=at_least, at_most=at_most, where=where)
        page = partial(between, ascending=ascending, limit=limit, cursor=cursor)
        return await self._around("tables.by_index", 0, page)

    async def scan(self, table: Table, *, limit: int = 1000, cursor: str | None = None) -> Page:
        """Items of a whole table in no particular order."""
        return await self._around(
            "tables.scan", 0, lambda: self._tables.scan(table, limit=limit, cursor=cursor)
        )


class WrappedJournal:
    """The `Journal` port."""

    def __init__(self, journal: Journal, around: Around) -> None:
        self._journal = journal
        self._around = around

    async def commit(self, items: Sequence[Item], writes: Sequence[Step] = ()) -> None:
        """Make history items durable."""
        written = len(items) + len(writes)
        await self._around("journal.commit", written, lambda: self._journal.commit(items, writes))

    async def read(
        self,
        partitions: Sequence[str],
        *,
        after: str = "",
        up_to: str | None = None,
        page: int = 5000,
    ) -> AsyncIterator[list[Item]]:
        """All items between the bounds, in pages."""
        pages = aiter(self._journal.read(partitions, after=after, up_to=up_to, page=page))

        async def following() -> list[Item] | None:
            return await anext(pages, None)

        while (items := await self._around("journal.read", 0, following)) is not None:
            yield items

    async def count(
        self, partitions: Sequence[str], *, after: str = "", up_to: str | None = None
    ) -> int:
        """How many items `read` would yield."""
        return await self._around(
            "journal.count", 0, lambda: self._journal.count(partitions, after=after, up_to=up_to)
        )

    async def delete(self, keys: Sequence[Key]) -> None:
        """Delete history items."""
        await self._around("journal.delete", len(keys), lambda: self._journal.delete(keys))

    async def within(
        self, partitions: Sequence[str], area: Rectangle, look: Lookback = LATEST
    ) -> Page:
        """Placements in an area, newest first."""
        lookup = partial(self._journal.within, partitions, area, look)
        return await self._around("journal.within", 0, lookup)

    async def by_user(self, user_id: str, look: Lookback = LATEST) -> Page:
        """A user's placements, newest first."""
        lookup = partial(self._journal.by_user, user_id, look)
        return await self._around("journal.by_user", 0, lookup)

    async def newest(self, partitions: Sequence[str], look: Lookback = LATEST) -> Page:
        """All items, newest first."""
        lookup = partial(self._journal.newest, partitions, look)
        return await self._around("journal.newest", 0, lookup)


class WrappedBlobs:
    """The `Blobs` port."""

    def __init__(self, blobs: Blobs, around: Around) -> None:
        self._blobs = blobs
        self._around = around

    async def put(
        self, key: str, data: bytes, metadata: Mapping[str, str], *, fenced: bool = False
    ) -> None:
        """Replace an object atomically."""
        await self._around(
            "blobs.put", 1, lambda: self._blobs.put(key, data, metadata, fenced=fenced)
        )

    async def get(self, key: str) -> Blob | None:
        """Read an object."""
        return await self._around("blobs.get", 0, lambda: self._blobs.get(key))

    async def list(self, prefix: str) -> list[str]:
        """Keys that begin with `prefix`, sorted."""
        return await self._around("blobs.list", 0, lambda: self._blobs.list(prefix))

    async def delete(self, key: str) -> None:
        """Remove an object."""
        await self._around("blobs.delete", 1, lambda: self._blobs.delete(key))
