"""The mark on a store that is only half there: it is being filled, and may not be served yet.

Owns the item of the mark, and the refusal that every start gives. Written and taken away by
`tesserae store copy`.
"""

from collections.abc import Mapping
from dataclasses import dataclass

from persistence.errors import StoreDamaged
from persistence.ports import Delete, Item, Key, Put, Tables
from persistence.tables import MAIN

KEY = Key("COPY", "UNFINISHED")


@dataclass(frozen=True, slots=True)
class Mark:
    """Of what it is to become a copy."""

    source: str
    """In words."""
    games: Mapping[str, str]
    """The source's games, each with its epoch: another source has others."""
    epoch: str
    """The epoch that the games get here."""

    def put(self) -> Put:
        """Make the write that leaves the mark."""
        item: Item = {
            MAIN.partition: KEY.partition,
            MAIN.sort: KEY.sort,
            "source": self.source,
            "games": dict(self.games),
            "epoch": self.epoch,
        }
        return Put(MAIN, item)


async def read_mark(tables: Tables) -> Mark | None:
    """Read the mark; None on a store that is whole. Raises StoreDamaged."""
    item = await tables.get(MAIN, KEY)
    if item is None:
        return None
    source, games, epoch = (item.get(name) for name in ("source", "games", "epoch"))
    if isinstance(source, str) and isinstance(games, Mapping) and isinstance(epoch, str) and epoch:
        return Mark(source, games, epoch)
    raise StoreDamaged(
        f"the item {KEY.partition} / {KEY.sort} is no mark of a copy: it has to have a source,"
        " games and an epoch",
        "empty the store and run `tesserae store copy` anew",
    )


def taken_away() -> Delete:
    """Make the write that takes the mark away."""
    return Delete(MAIN, KEY)


async def check_finished(tables: Tables) -> None:
    """Raise StoreDamaged for a store that is only half there."""
    mark = await read_mark(tables)
    if mark is not None:
        raise StoreDamaged(
            f"this store is an unfinished copy of {mark.source}",
            "run the same `tesserae store copy` again: it goes on where it ended",
        )
