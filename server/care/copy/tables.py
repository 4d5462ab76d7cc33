"""Tables made alike, but for what belongs to one store alone: its lease, its connections, its mark.

Item by item by key, since a scan has no order. The configs of games are not among them: those come
last, when all that they speak of is there (copying.py, which calls this).
"""

from collections.abc import AsyncIterator
from dataclasses import dataclass

from persistence.ports import Item, Key, Table, Tables
from persistence.scan import pages_of
from persistence.tables import BANS, MAIN, MILESTONES
from server.care.advance import Advance
from server.care.copy.tally import Tally
from server.recovery.unfinished import KEY

COPIED = (BANS, MILESTONES, MAIN)
OWN = {"LEASE", "wsConnections", KEY.partition}
"""Partitions of the main table that mean nothing in another store."""
PAGE = 500


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
            there = await self.target.get_many(table, [_key(table, item) for item in items])
            await self._put(
                table, [i for i, other in zip(items, there, strict=True) if other != i], tally
            )
            for item in items:
                tally.count(item)
            self.advance(tally.what, tally.items, tally.items)
        async for items in items_of(self.target, table):
            keys = [_key(table, item) for item in items]
            belonging = await self.source.get_many(table, keys)
            await self._delete(
                table, [k for k, one in zip(keys, belonging, strict=True) if one is None], tally
            )
        return tally

    async def _put(self, table: Table, items: list[Item], tally: Tally) -> None:
        for item in items:
            tally.write(" / ".join(_key(table, item)))
        if self.writes and items:
            await self.target.put_many(table, items)

    async def _delete(self, table: Table, keys: list[Key], tally: Tally) -> None:
        for key in keys:
            tally.delete(" / ".join(key))
        if self.writes and keys:
            await self.target.delete_many(table, keys)


def _key(table: Table, item: Item) -> Key:
    return Key(item[table.partition], item[table.sort])
