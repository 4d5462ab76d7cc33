"""The Journal port on DynamoDB: placements in batches, control events as transactions.

Batches become durable in no order, so that a store on this journal is not `ordered`: after a crash
there may be items beyond the first hole, which recovery deletes. A control event is put on the
condition that it is new; an equal one was stored by a commit whose answer was lost.
"""

import asyncio
from collections.abc import AsyncIterator, Sequence
from typing import Any

from persistence.aws.clients import Client
from persistence.dynamodb.batches import (
    BatchReader,
    BatchWriter,
    delete_requests,
    put_requests,
)
from persistence.dynamodb.body import read_plainly
from persistence.dynamodb.items import decoded_item, encoded_attributes, encoded_key
from persistence.dynamodb.lookup import Lookups, Span
from persistence.dynamodb.names import TableNames
from persistence.dynamodb.query import Bulk, Sorts, ask
from persistence.dynamodb.streams import CHUNK_ITEMS, Merge, Stream
from persistence.dynamodb.writer import Writer
from persistence.dynamodb.writes import Expressions
from persistence.errors import ConditionFailed
from persistence.items import check_transaction, key_of
from persistence.ports import LATEST, Condition, Item, Key, Lookback, Page, Put, Rectangle, Step
from persistence.tables import HISTORY

COMMIT_INTERVAL = 0.020
"""50 calls a second for each busy game. A call costs 1 to 2 ms of a core, with one placement in it
as with 25: at 1,000 placements a second, calls that follow each other would take a quarter of a
core, each with three (`python -m bench aws`)."""
_POSITION = HISTORY.indexes[0].sort


class DynamoJournal:
    """The `Journal` port."""

    def __init__(self, client: Client, bulk: Bulk, names: TableNames, writer: Writer) -> None:
        read_plainly(bulk.client)
        self._client = client
        self._bulk = bulk
        self._name = names.of(HISTORY)
        self._writer = writer
        self._batches = BatchWriter(client, self._name)
        self._lookups = Lookups(bulk.client, self._name)

    async def commit(self, items: Sequence[Item], writes: Sequence[Step] = ()) -> None:
        """Make history items durable, with `writes` in the same transaction.

        Control events are one transaction also without writes: all of them are there, or none.
        """
        if writes or (len(items) > 1 and not any(_POSITION in item for item in items)):
            await self._commit_together(items, writes)
            return
        requests = await put_requests(HISTORY, items)
        await self._batches.write(requests)

    async def read(
        self,
        partitions: Sequence[str],
        *,
        after: str = "",
        up_to: str | None = None,
        page: int = 5000,
    ) -> AsyncIterator[list[Item]]:
        """Items between the bounds, merged in SK order, in pages of at most `page`."""
        sorts = Sorts.of(after, up_to)
        streams = [
            Stream(
                self._bulk.client,
                self._range(partition, sorts, Limit=min(page, CHUNK_ITEMS)),
                sorts,
            )
            for partition in partitions
        ]
        merge = Merge(streams, ascending=True)
        while not merge.ended:
            items = await self._bulk.loop.run(merge.chunk())
            for first in range(0, len(items), page):
                yield items[first : first + page]

    async def count(
        self, partitions: Sequence[str], *, after: str = "", up_to: str | None = None
    ) -> int:
        """How many items `read` would yield."""
        sorts = Sorts.of(after, up_to)
        if sorts.empty:
            return 0
        return sum(await asyncio.gather(*(self._count(each, sorts) for each in partitions)))

    async def delete(self, keys: Sequence[Key]) -> None:
        """Delete history items; not an error when they are not there."""
        await self._batches.write(delete_requests(HISTORY, keys))

    async def within(
        self, partitions: Sequence[str], area: Rectangle, look: Lookback = LATEST
    ) -> Page:
        """Placements in an area as full items, newest first."""
        span = Span.of(look)
        if span.sorts.empty or area.x1 > area.x2 or area.y1 > area.y2:
            return Page([], None)
        return await self._bulk.loop.run(self._lookups.within(partitions, area, span))

    async def by_user(self, user_id: str, look: Lookback = LATEST) -> Page:
        """A user's placements as full items, newest first."""
        span = Span.of(look)
        if span.sorts.empty or not user_id:
            return Page([], None)
        return await self._bulk.loop.run(self._lookups.by_user(user_id, span))

    async def newest(self, partitions: Sequence[str], look: Lookback = LATEST) -> Page:
        """All items of partitions, newest first."""
        span = Span.of(look)
        return await self._bulk.loop.run(self._lookups.newest(partitions, span))

    async def _commit_together(self, items: Sequence[Item], writes: Sequence[Step]) -> None:
        puts = [Put(HISTORY, item, Condition(exists=False)) for item in items]
        together = [*puts, *writes]
        check_transaction(together)
        try:
            await self._writer.transact(together)
        except ConditionFailed:
            if not items or not await self._are_there(items):
                raise

    async def _are_there(self, items: Sequence[Item]) -> bool:
        """Return whether every item is stored as it is here."""
        wanted = {key_of(HISTORY, item): decoded_item(encoded_attributes(item)) for item in items}
        keys = [encoded_key(HISTORY, *key) for key in wanted]
        found = await BatchReader(self._client, self._name).read(keys)
        stored = [decoded_item(item) for item in found]
        return {key_of(HISTORY, item): item for item in stored} == wanted

    async def _count(self, partition: str, sorts: Sorts) -> int:
        arguments = self._range(partition, sorts, Select="COUNT")
        count, start = 0, encoded_key(HISTORY, partition, sorts.after) if sorts.after else None
        while True:
            answer = await ask(self._client, arguments, start)
            count, start = count + answer.counted, answer.last
            if start is None:
                return count

    def _range(self, partition: str, sorts: Sorts, **more: object) -> dict[str, Any]:
        """Return the arguments of a consistent query of one partition."""
        expressions = Expressions()
        keys = f"{expressions.name(HISTORY.partition)} = {expressions.value(partition)}"
        return {
            "TableName": self._name,
            "ConsistentRead": True,
            "KeyConditionExpression": keys + sorts.condition(HISTORY.sort, expressions),
            **more,
            **expressions.arguments(),
        }
