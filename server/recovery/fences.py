"""The highest fence that the games of a store know of, above which the next one is to be taken.

A lease counts its fences in an item of its own. Where that was taken away it would count from 1
again, and what is placed under a fence that was there before is dropped by every reader. Called by
whoever takes a lease for a game. What cannot be read is passed over: recovery tells of it.
"""

from collections.abc import Iterator, Mapping

from persistence.ports import Item, Tables
from persistence.scan import pages_of
from persistence.tables import CONFIG


async def last_fence(tables: Tables) -> int:
    """Return the highest fence in any game's config; 0 when there is none. Raises StoreError."""
    fences = [
        fence
        async for items in pages_of(tables, CONFIG)
        for item in items
        for fence in _fences(item)
    ]
    return max(fences, default=0)


def _fences(item: Item) -> Iterator[int]:
    fence, writers = item.get("fence"), item.get("writers")
    if type(fence) is int:
        yield fence
    if isinstance(writers, Mapping):
        yield from (int(one) for one in writers if one.isascii() and one.isdigit())
