"""The history as streams: queries of several partitions merged into one order.

Chunk by chunk, so that memory stays bounded however long the history is. Items that share a sort
key are ordered by partition: descending lists have both descending. Lives on the bulk loop.
"""

import asyncio
from collections.abc import Sequence
from itertools import takewhile
from typing import Any

from persistence.aws.clients import Client
from persistence.dynamodb.items import Attributes, decoded_item
from persistence.dynamodb.query import Sorts, ask
from persistence.items import key_of
from persistence.ports import Item, Key
from persistence.tables import HISTORY

CHUNK_ITEMS = 1000
"""Items of one answer: reading them takes 25 ms, of which the server's loop gets its share."""


class Stream:
    """One query's items, the answers in order."""

    def __init__(self, client: Client, arguments: dict[str, Any], sorts: Sorts) -> None:
        self._client = client
        self._arguments = arguments
        self._sorts = sorts
        self._last: Attributes | None = None
        self.ended = sorts.empty
        self.reached: str | None = None
        """The sort key that the last answer came to: only beyond it, or at it, is more."""

    async def fetch(self) -> list[Item]:
        """Read the next answer, which may hold nothing although there is more."""
        answer = await ask(self._client, self._arguments, self._last)
        self._last = answer.last
        self.ended = answer.last is None
        self.reached = None if answer.last is None else answer.last[HISTORY.sort]["S"]
        items = [decoded_item(item) for item in answer.items]
        return [item for item in items if item[HISTORY.sort] > self._sorts.after]


class Merge:
    """Several streams in one order."""

    def __init__(self, streams: Sequence[Stream], *, ascending: bool) -> None:
        self._streams = streams
        self._ascending = ascending
        self._held: list[Item] = []

    @property
    def ended(self) -> bool:
        """Whether there is nothing more."""
        return not self._held and all(stream.ended for stream in self._streams)

    @property
    def reached(self) -> str | None:
        """The sort key up to which all was given, itself not included; None at the end."""
        open_ends = [stream.reached for stream in self._streams if not stream.ended]
        known = [end for end in open_ends if end is not None]
        if not known:
            return None
        return min(known) if self._ascending else max(known)

    async def chunk(self) -> list[Item]:
        """Return the next run, which may be empty although there is more."""
        reached = self.reached
        behind = [s for s in self._streams if not s.ended and s.reached in {None, reached}]
        for items in await asyncio.gather(*(stream.fetch() for stream in behind)):
            self._held += items
        self._held.sort(key=_order, reverse=not self._ascending)
        run = self._settled(self.reached)
        del self._held[: len(run)]
        return run

    def _settled(self, reached: str | None) -> list[Item]:
        """Return what nothing can come before any more."""
        if reached is None:
            return list(self._held)
        if self._ascending:
            return list(takewhile(lambda item: item[HISTORY.sort] < reached, self._held))
        return list(takewhile(lambda item: item[HISTORY.sort] > reached, self._held))


def _order(item: Item) -> Key:
    partition, sort = key_of(HISTORY, item)
    return Key(sort, partition)
