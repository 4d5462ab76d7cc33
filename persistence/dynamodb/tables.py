"""The Tables port on DynamoDB: items by key, conditional writes, transactions, queries.

An unconditional addition may count twice when its answer is lost, since the library tries again:
who counts must state in the condition what the number was. Expired items are absent for every
reader and every condition, though DynamoDB removes them days later.
"""

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from persistence.aws.clients import Client
from persistence.dynamodb.faults import translated
from persistence.dynamodb.items import Attributes, decoded_item, encoded_key
from persistence.dynamodb.names import TableNames
from persistence.dynamodb.query import Bulk, Sorts, ask
from persistence.dynamodb.writer import Writer
from persistence.dynamodb.writes import Expressions, alive, expired, key_in
from persistence.items import checked_key, cursor_at, key_at
from persistence.ports import Item, Key, Page, Table, Write

MAX_ANSWERS = 32
"""Pages of one query, of which expired items may leave little."""


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
        self._client = client
        self._bulk = bulk
        self._names = names
        self._writer = writer
        self._wall_ms = wall_ms

    async def get(self, table: Table, key: Key) -> Item | None:
        """Read one item, consistently."""
        wanted, name = encoded_key(table, *checked_key(key)), self._names.of(table)
        with translated(name):
            answer = await self._client.get_item(TableName=name, Key=wanted, ConsistentRead=True)
        attributes = answer.get("Item")
        if attributes is None or expired(table, attributes, self._wall_ms() // 1000):
            return None
        return decoded_item(attributes)

    async def write(self, write: Write) -> Item | None:
        """Do one write; returns the item as it is now (None after a delete)."""
        return await self._writer.write(write)

    async def transact(self, writes: Sequence[Write]) -> None:
        """Do all writes or none. Raises ConditionFailed."""
        await self._writer.transact(writes)

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
        """Items of a partition in sort-key order: sort > `after`, <= `up_to`, with `prefix`.

        The cursor is the last sort key that was looked at.
        """
        sorts = Sorts.of(after, up_to, prefix)
        if not partition or sorts.empty:
            return Page([], None)
        expressions = Expressions()
        keys = f"{expressions.name(table.partition)} = {expressions.value(partition)}"
        arguments = self._arguments(table, expressions) | {
            "KeyConditionExpression": keys + sorts.condition(table.sort, expressions),
            "ScanIndexForward": ascending,
            **expressions.arguments(),
        }
        last = None if cursor is None else checked_key(Key(partition, cursor))
        found = await self._read(table, arguments, limit, last, after=sorts.after)
        return Page(found.items, None if found.last is None else found.last.sort)

    async def scan(self, table: Table, *, limit: int = 1000, cursor: str | None = None) -> Page:
        """Items of a whole table in no particular order, consistently."""
        expressions = Expressions()
        arguments = self._arguments(table, expressions) | expressions.arguments()
        last = None if cursor is None else key_at(cursor)
        found = await self._read(table, arguments, limit, last, whole=True)
        return Page(found.items, None if found.last is None else cursor_at(found.last))

    def _arguments(self, table: Table, expressions: Expressions) -> dict[str, Any]:
        arguments: dict[str, Any] = {"TableName": self._names.of(table), "ConsistentRead": True}
        if living := alive(table, expressions, self._wall_ms() // 1000):
            arguments["FilterExpression"] = living
        return arguments

    async def _read(
        self,
        table: Table,
        arguments: dict[str, Any],
        limit: int,
        last: Key | None,
        *,
        after: str = "",
        whole: bool = False,
    ) -> "_Found":
        start = None if last is None else encoded_key(table, *last)
        query = _Query(self._bulk.client, table, arguments, after, whole)
        return await self._bulk.loop.run(query.page(limit, start))


class _Found(NamedTuple):
    """What was read, and the key after which there may be more."""

    items: list[Item]
    last: Key | None


class _Query(NamedTuple):
    """One query, asked page by page until enough is found."""

    client: Client
    table: Table
    arguments: dict[str, Any]
    after: str
    """Sort keys have to be beyond it, which DynamoDB's condition cannot say."""
    whole: bool
    """Whether the whole table is scanned."""

    async def page(self, limit: int, start: Attributes | None) -> _Found:
        """Read up to `limit` items after `start`."""
        items: list[Attributes] = []
        for _ in range(MAX_ANSWERS):
            arguments = self.arguments | {"Limit": limit - len(items)}
            answer = await ask(self.client, arguments, start, whole=self.whole)
            items += [item for item in answer.items if self._inside(item)]
            start = answer.last
            if start is None or len(items) == limit:
                break
        last = None if start is None else key_in(self.table, start)
        return _Found([decoded_item(item) for item in items], last)

    def _inside(self, item: Attributes) -> bool:
        return key_in(self.table, item).sort > self.after
