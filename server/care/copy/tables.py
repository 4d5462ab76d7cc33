"""Tables made alike, but for what belongs to one store alone: its lease, its connections, its mark.

Item by item by key, since a scan has no order. The configs of games are not among them: those come
last, when all that they speak of is there (copying.py, which calls this).
"""

import asyncio
from collections.abc import AsyncIterator, Sequence
from dataclasses import dataclass

from persistence.ports import Delete, Item, Key, Put, Table, Tables
from persistence.scan import pages_of
from persistence.tables import BANS, MAIN, MILESTONES
from server.care.advance import Advance
from server.care.copy.tally import Tally
from server.recovery.unfinished import KEY

COPIED = (BANS, MILESTONES, MAIN)
OWN = {"LEASE", "wsConnections", KEY.partition}
"""Partitions of the main table that mean nothing in another store."""
PAGE = 500
AT_ONCE = 16
"""Items read, or written, in flight."""


async def items_of(tables: Tables, table: Table) -> AsyncIterator[list[Item]]:
    """Yield the items of a table that a copy has, in pages, in any order."""
    async for items in pages_of(tables, table, PAGE):
        yield [item for item in items if not (table is MAIN and item["pk"] in OWN)]


@dataclass(frozen=True, slots=True)
class TablesPass:
    """One pass from a source to a target."""

    source: Tables
    target: Tables
    advance: Advance
    writes: bool

    async def over(self, table: Table) -> Tally:
        """Make the target's table like the source's, or only compare them."""
        tally = Tally(f"table {table.name}")
        async for items in items_of(self.source, table):
            there = await _found(self.target, table, items)
            for item, other in zip(items, there, strict=True):
                tally.count(item)
                if other != item:
                    await self._put(table, item, tally)
            self.advance(tally.what, tally.items, tally.items)
        async for items in items_of(self.target, table):
            belonging = await _found(self.source, table, items)
            for item, other in zip(items, belonging, strict=True):
                if other is None:
                    await self._delete(table, item, tally)
        return tally

    async def _put(self, table: Table, item: Item, tally: Tally) -> None:
        tally.write(" / ".join(_key(table, item)))
        if self.writes:
            await self.target.write(Put(table, item))

    async def _delete(self, table: Table, item: Item, tally: Tally) -> None:
        key = _key(table, item)
        tally.delete(" / ".join(key))
        if self.writes:
            await self.target.write(Delete(table, key))


def _key(table: Table, item: Item) -> Key:
    return Key(item[table.partition], item[table.sort])


async def _found(tables: Tables, table: Table, items: Sequence[Item]) -> list[Item | None]:
    """Read the items of the same keys, some at once."""
    slots = asyncio.Semaphore(AT_ONCE)

    async def get(item: Item) -> Item | None:
        async with slots:
            return await tables.get(table, _key(table, item))

    return await asyncio.gather(*map(get, items))
