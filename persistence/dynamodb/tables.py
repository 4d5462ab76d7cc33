"""The Tables port on DynamoDB: items by key, conditional writes, transactions, queries.

An unconditional addition may count twice when its answer is lost, since the library tries again:
who counts must state in the condition what the number was. Expired items are absent for every
reader and every condition, though DynamoDB removes them days later.
"""

from collections.abc import Callable, Sequence
from typing import Any

from persistence.aws.clients import Client
from persistence.dynamodb.batches import (
    BatchReader,
    BatchWriter,
    delete_requests,
    put_requests,
)
from persistence.dynamodb.body import read_plainly
from persistence.dynamodb.faults import translated
from persistence.dynamodb.items import Attributes, decoded_item, encoded_key, encoded_value
from persistence.dynamodb.names import TableNames
from persistence.dynamodb.paging import Reading
from persistence.dynamodb.query import Bulk, Sorts
from persistence.dynamodb.writer import Writer
from persistence.dynamodb.writes import Expressions, alive, conditions, expired, key_in
from persistence.items import (
    check_filter,
    check_item,
    checked_key,
    cursor_at,
    index_cursor,
    index_place,
    is_empty_range,
    key_at,
)
from persistence.ports import Condition, Index, Item, Key, Page, Step, Table, Write


class DynamoTables:
    """The `Tables` port; `wall_ms` tells what has expired."""

    def __init__(
        self,
        client: Client,
        bulk: Bulk,
        names: TableNames,
        writer: Writer,
        wall_ms: Callable[[], int],
    ) -> None:
        read_plainly(bulk.client)
        self._client = client
        self._bulk = bulk
        self._names = names
        self._writer = writer
        self._wall_ms = wall_ms
        self._batches: dict[str, BatchWriter] = {}

    async def get(self, table: Table, key: Key) -> Item | None:
        """Read one item, consistently."""
        wanted, name = encoded_key(table, *checked_key(key)), self._names.of(table)
        with translated(name):
            answer = await self._client.get_item(TableName=name, Key=wanted, ConsistentRead=True)
        attributes = answer.get("Item")
        if attributes is None or expired(table, attributes, self._now_s()):
            return None
        return decoded_item(attributes)

    async def write(self, write: Write) -> Item | None:
        """Do one write; returns the item as it is now (None after a delete)."""
        return await self._writer.write(write)

    async def transact(self, writes: Sequence[Step]) -> None:
        """Do all writes or none. Raises ConditionFailed."""
        await self._writer.transact(writes)

    async def get_many(self, table: Table, keys: Sequence[Key]) -> list[Item | None]:
        """Read items, each consistently, in the order of the keys."""
        wanted = [encoded_key(table, *checked_key(key)) for key in dict.fromkeys(keys)]
        reader, now_s = BatchReader(self._bulk.client, self._names.of(table)), self._now_s()
        found = {
            key_in(table, item): decoded_item(item)
            for item in await self._bulk.loop.run(reader.read(wanted))
            if not expired(table, item, now_s)
        }
        return [found.get(key) for key in keys]

    async def put_many(self, table: Table, items: Sequence[Item]) -> None:
        """Write whole items, not together; of items with one key the last counts."""
        for item in items:
            check_item(table, item)
        await self._batch(table).write(await put_requests(table, items))

    async def delete_many(self, table: Table, keys: Sequence[Key]) -> None:
        """Remove items, not together; not an error when they are not there."""
        await self._batch(table).write(delete_requests(table, keys))

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
        """Items of a partition in sort-key order: sort > `after`, <= `up_to`, with `prefix`.

        The cursor is the last sort key that was looked at.
        """
        sorts, keys = Sorts.of(after, up_to, prefix), (table.partition, table.sort)
        expressions = Expressions()
        arguments = self._arguments(table, expressions, where, keys)
        if not partition or sorts.empty:
            return Page([], None)
        arguments |= {
            "ConsistentRead": True,
            "KeyConditionExpression": f"{expressions.name(table.partition)} ="
            f" {expressions.value(partition)}{sorts.condition(table.sort, expressions)}",
            "ScanIndexForward": ascending,
            **expressions.arguments(),
        }
        bound = (table.sort, sorts.after)
        reading = Reading(self._bulk.client, arguments, keys, bound, filtered=where is not None)
        last = None if cursor is None else checked_key(Key(partition, cursor))
        start = None if last is None else encoded_key(table, *last)
        found = await self._bulk.loop.run(reading.page(limit, start))
        return Page(found.items, None if found.last is None else key_in(table, found.last).sort)

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
        expressions = Expressions()
        arguments = self._arguments(table, expressions, where, (index.partition, index.sort))
        if not partition or is_empty_range(index, at_least, at_most):
            return Page([], None)
        arguments |= {
            "IndexName": index.name,
            "KeyConditionExpression": f"{expressions.name(index.partition)} ="
            f" {expressions.value(partition)}{_range(index, at_least, at_most, expressions)}",
            "ScanIndexForward": ascending,
            **expressions.arguments(),
        }
        keys = (table.partition, table.sort, index.partition, index.sort)
        reading = Reading(self._bulk.client, arguments, keys, filtered=where is not None)
        start = None if cursor is None else _start(table, index, partition, cursor)
        found = await self._bulk.loop.run(reading.page(limit, start))
        last = None if found.last is None else decoded_item(found.last)
        return Page(found.items, None if last is None else index_cursor(table, index, last))

    async def scan(self, table: Table, *, limit: int = 1000, cursor: str | None = None) -> Page:
        """Items of a whole table in no particular order, consistently."""
        expressions = Expressions()
        arguments = {"ConsistentRead": True, **self._arguments(table, expressions)}
        arguments |= expressions.arguments()
        reading = Reading(self._bulk.client, arguments, (table.partition, table.sort), whole=True)
        start = None if cursor is None else encoded_key(table, *key_at(cursor))
        found = await self._bulk.loop.run(reading.page(limit, start))
        return Page(
            found.items, None if found.last is None else cursor_at(key_in(table, found.last))
        )

    def _arguments(
        self,
        table: Table,
        expressions: Expressions,
        where: Condition | None = None,
        keys: tuple[str, ...] = (),
    ) -> dict[str, Any]:
        """Return what a reading says besides its keys; `where` may name none of `keys`."""
        filters: list[str] = []
        if where is not None:
            check_filter(where, keys)
            filters += conditions(table, where, expressions)
        if living := alive(table, expressions, self._now_s()):
            filters.append(living)
        arguments: dict[str, Any] = {"TableName": self._names.of(table)}
        return arguments | ({"FilterExpression": " AND ".join(filters)} if filters else {})

    def _batch(self, table: Table) -> BatchWriter:
        name = self._names.of(table)
        if name not in self._batches:
            self._batches[name] = BatchWriter(self._client, name)
        return self._batches[name]

    def _now_s(self) -> int:
        return self._wall_ms() // 1000


def _range(index: Index, at_least: Any, at_most: Any, expressions: Expressions) -> str:
    """Return the condition on an index's sort attribute, of which a query takes one."""
    low = None if at_least in {None, ""} else at_least
    if low is None and at_most is None:
        return ""
    name = expressions.name(index.sort)
    if low is None:
        return f" AND {name} <= {expressions.value(at_most)}"
    if at_most is None:
        return f" AND {name} >= {expressions.value(low)}"
    return f" AND {name} BETWEEN {expressions.value(low)} AND {expressions.value(at_most)}"


def _start(table: Table, index: Index, partition: str, cursor: str) -> Attributes:
    sort, key = index_place(index, cursor)
    place = {index.partition: encoded_value(partition), index.sort: encoded_value(sort)}
    return place | encoded_key(table, *key)
