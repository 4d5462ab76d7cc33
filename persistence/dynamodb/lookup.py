"""Lookups in the history on DynamoDB, newest first: an area, a user, whole partitions.

`XOriginalIndex` is in the order of x, so the newest of an area are known only when its columns were
read to the end: for a cell that is one page for years. Where it would be more than `INDEX_ANSWERS`
pages, the history itself is walked back in time, as many pages a call; the page may then be short.
Indexes lag behind the table by a moment. Lives on the bulk loop.
"""

import asyncio
from collections.abc import Sequence
from typing import Any, NamedTuple

import orjson

from persistence.aws.clients import Client
from persistence.dynamodb.batches import BatchReader
from persistence.dynamodb.items import decoded_item, encoded_key
from persistence.dynamodb.query import Sorts, ask
from persistence.dynamodb.streams import CHUNK_ITEMS, Merge, Stream
from persistence.dynamodb.writes import Expressions
from persistence.errors import PermanentFault
from persistence.items import LAST_CHAR, key_of
from persistence.ports import Item, Key, Lookback, Page, Rectangle
from persistence.tables import HISTORY

INDEX_ANSWERS = 16
"""Pages of 1 MB, each some 9,000 placements."""
WALK_CHUNKS = 16
_WALKING = "walk"
_X, _USER = HISTORY.indexes


class Before(NamedTuple):
    """Where a page begins: below this sort key, or at it in an earlier partition."""

    sort: str = LAST_CHAR
    partition: str = LAST_CHAR
    walking: bool = False
    """Whether the index was given up on already."""

    @classmethod
    def of(cls, cursor: str | None) -> "Before":
        """Read a cursor. Raises PermanentFault for what is none of ours."""
        if cursor is None:
            return cls()
        try:
            sort, partition, *rest = orjson.loads(cursor)
        except (orjson.JSONDecodeError, TypeError, ValueError):
            sort, partition, rest = None, None, []
        if not isinstance(sort, str) or not isinstance(partition, str):
            raise PermanentFault("no cursor of this store", "ask again without a cursor")
        return cls(sort, partition, rest == [_WALKING])

    def cursor(self) -> str:
        """Write it down."""
        parts = [self.sort, self.partition, *([_WALKING] if self.walking else [])]
        return orjson.dumps(parts).decode()

    def admits(self, item: Item) -> bool:
        """Return whether an item comes after it in a list with the newest first."""
        return (item[HISTORY.sort], item[HISTORY.partition]) < (self.sort, self.partition)


class Span(NamedTuple):
    """What a lookup is bounded by."""

    after: str
    up_to: str | None
    before: Before
    limit: int

    @classmethod
    def of(cls, look: Lookback) -> "Span":
        """Read what is asked for. Raises PermanentFault for a cursor that is none of ours."""
        return cls(look.after, look.up_to, Before.of(look.cursor), look.limit)

    @property
    def sorts(self) -> Sorts:
        """The range of sort keys that is left."""
        upper = self.before.sort if self.up_to is None else min(self.up_to, self.before.sort)
        return Sorts.of(self.after, upper)


class Lookups:
    """One call's pages."""

    def __init__(self, client: Client, table_name: str) -> None:
        self._client = client
        self._table_name = table_name

    async def newest(self, partitions: Sequence[str], span: Span) -> Page:
        """Read the newest items of whole partitions."""
        streams = [self._stream(partition, span) for partition in partitions]
        return await _collected(streams, span)

    async def by_user(self, user_id: str, span: Span) -> Page:
        """Read a user's placements in all games."""
        expressions = Expressions()
        sorts = span.sorts
        keys = f"{expressions.name(_USER.partition)} = {expressions.value(user_id)}"
        keys += sorts.condition(_USER.sort, expressions)
        arguments = {
            "IndexName": _USER.name,
            "KeyConditionExpression": keys,
            "ProjectionExpression": _key_names(expressions),
            **self._downwards(span),
            **expressions.arguments(),
        }
        page = await _collected([Stream(self._client, arguments, sorts)], span)
        return await self._full(page)

    async def within(self, partitions: Sequence[str], area: Rectangle, span: Span) -> Page:
        """Read the placements in an area."""
        if not span.before.walking:
            columns = (self._column(partition, area, span) for partition in partitions)
            found = await asyncio.gather(*columns)
            if all(keys is not None for keys in found):
                keys = sorted((key for each in found for key in each or []), reverse=True)
                return await self._full(_cut([_key_item(key) for key in keys], span))
        streams = [self._stream(partition, span, area) for partition in partitions]
        walking = span._replace(before=span.before._replace(walking=True))
        return await _collected(streams, walking, WALK_CHUNKS)

    def _stream(self, partition: str, span: Span, area: Rectangle | None = None) -> Stream:
        expressions = Expressions()
        keys = f"{expressions.name(HISTORY.partition)} = {expressions.value(partition)}"
        keys += span.sorts.condition(HISTORY.sort, expressions)
        arguments: dict[str, Any] = {"KeyConditionExpression": keys, "ConsistentRead": True}
        arguments |= self._downwards(span)
        if area is not None:
            x = _between("x_original", area.x1, area.x2, expressions)
            y = _between("y_original", area.y1, area.y2, expressions)
            arguments["FilterExpression"] = f"{x} AND {y}"
            del arguments["Limit"]
        return Stream(self._client, arguments | expressions.arguments(), span.sorts)

    async def _column(
        self, partition: str, area: Rectangle, span: Span
    ) -> list[tuple[str, str]] | None:
        """Return the newest keys (sort, partition) of an area; None when they are too many."""
        expressions = Expressions()
        x = _between(_X.sort, area.x1, area.x2, expressions)
        arguments = {
            "TableName": self._table_name,
            "IndexName": _X.name,
            "KeyConditionExpression": f"{expressions.name(_X.partition)} = "
            f"{expressions.value(partition)} AND {x}",
            "FilterExpression": _between("y_original", area.y1, area.y2, expressions),
            "ProjectionExpression": _key_names(expressions),
            **expressions.arguments(),
        }
        newest, start, sorts = list[tuple[str, str]](), None, span.sorts
        for _ in range(INDEX_ANSWERS):
            items, start, _ = await ask(self._client, arguments, start)
            keys = ((item["SK"]["S"], item["PK"]["S"]) for item in items)
            newest += [key for key in keys if sorts.after < key[0] <= sorts.high]
            if start is None:
                admitted = (key for key in newest if key < span.before[:2])
                return sorted(admitted, reverse=True)[: span.limit + 1]
        return None

    def _downwards(self, span: Span) -> dict[str, Any]:
        return {
            "TableName": self._table_name,
            "ScanIndexForward": False,
            "Limit": min(span.limit + 1, CHUNK_ITEMS),
        }

    async def _full(self, page: Page) -> Page:
        """Replace keys by the items that are there still."""
        keys = [key_of(HISTORY, item) for item in page.items]
        wanted = [encoded_key(HISTORY, *key) for key in keys]
        found = await BatchReader(self._client, self._table_name).read(wanted)
        by_key = {key_of(HISTORY, item): item for item in map(decoded_item, found)}
        return Page([by_key[key] for key in keys if key in by_key], page.cursor)


async def _collected(streams: Sequence[Stream], span: Span, chunks: int | None = None) -> Page:
    """Read streams until a page is full, or so many chunks were read."""
    merge, found, read = Merge(streams, ascending=False), list[Item](), 0
    while not merge.ended and len(found) <= span.limit and read != chunks:
        found += [item for item in await merge.chunk() if span.before.admits(item)]
        read += 1
    if len(found) > span.limit or merge.ended:
        return _cut(found, span)
    assert merge.reached is not None  # noqa: S101 - what is not ended has come to somewhere
    rest = Before(merge.reached, LAST_CHAR, span.before.walking)
    return Page(found, min(rest, span.before).cursor())


def _cut(found: list[Item], span: Span) -> Page:
    items = found[: span.limit]
    if len(found) <= span.limit:
        return Page(items, None)
    partition, sort = key_of(HISTORY, items[-1])
    return Page(items, Before(sort, partition, span.before.walking).cursor())


def _between(name: str, first: int, last: int, expressions: Expressions) -> str:
    low, high = expressions.value(first), expressions.value(last)
    return f"{expressions.name(name)} BETWEEN {low} AND {high}"


def _key_names(expressions: Expressions) -> str:
    return f"{expressions.name(HISTORY.partition)}, {expressions.name(HISTORY.sort)}"


def _key_item(key: tuple[str, str]) -> Item:
    sort, partition = Key(*key)
    return {HISTORY.partition: partition, HISTORY.sort: sort}
