"""What a copy would take: the source's games, and how much there is of everything.

Owns what of a source counts: its histories as a start would read them, without what superseded
writers left. Reads alone, and refuses what is damaged. Called by `tesserae store copy`, which shows
it, and by copying.py.
"""

from collections.abc import Mapping
from dataclasses import dataclass

from persistence.ports import Item, Store
from persistence.scan import pages_of
from persistence.tables import CONFIG, HISTORY
from server.care.advance import Advance
from server.care.copy.blobs import FOLDER
from server.care.copy.history import History
from server.care.copy.tables import COPIED, items_of
from server.game.config import GameConfig
from server.game.names import game_of_sort_key
from server.game.writers import Writers
from server.recovery.present import read_present
from server.recovery.reader import RecoveryEvents
from server.recovery.unfinished import check_finished

DOLLARS_PER_WRITE = 0.625e-6
"""One write unit of on-demand DynamoDB in us-east-1; other regions ask up to twice that."""
DOLLARS_PER_PUT = 5e-6
"""One PUT of S3 Standard there."""
UNITS_PER_ITEM = 1 + len(HISTORY.indexes)
"""A history item is below 1 KB, and lies in the table and in each index."""


@dataclass(frozen=True, slots=True)
class SourceGame:
    """A game as it is in the source."""

    config: GameConfig
    item: Item
    """Its config, as it is stored."""
    seq: int
    """Items beyond it stay behind: nobody was ever told of them, and more may arrive late."""

    def histories(self) -> list[History]:
        """Return its partitions, and which items of them count."""
        writers = Writers(self.config.writers)

        def counts(item: Item) -> bool:
            return writers.belongs(item, self.seq)

        return [History(partition, counts) for partition in self.config.partitions]


async def read_games(store: Store, events: RecoveryEvents) -> list[SourceGame]:
    """Read all games of a store as a start would. Raises StoreDamaged."""
    await check_finished(store.tables)
    return [
        await _game(store, item, events)
        async for items in pages_of(store.tables, CONFIG)
        for item in items
    ]


async def _game(store: Store, item: Item, events: RecoveryEvents) -> SourceGame:
    present = await read_present(store, game_of_sort_key(item[CONFIG.sort]), events)
    assert present is not None  # noqa: S101 - no game is ever taken away
    return SourceGame(present.config, item, present.outcome.replica.seq)


@dataclass(frozen=True, slots=True)
class Amount:
    """How much a copy would write."""

    games: Mapping[str, int]
    """Each with its seq."""
    history: int
    items: Mapping[str, int]
    """Of the other tables, by name."""
    blobs: int

    @property
    def dollars(self) -> float:
        """What writing it costs on AWS, about; reading it back costs a fraction."""
        units = self.history * UNITS_PER_ITEM + sum(self.items.values()) * 2
        return units * DOLLARS_PER_WRITE + self.blobs * DOLLARS_PER_PUT


async def amount_of(store: Store, games: list[SourceGame], advance: Advance) -> Amount:
    """Count what a copy would write."""
    partitions = [partition for game in games for partition in game.config.partitions]
    items = {CONFIG.name: len(games)}
    for table in COPIED:
        items[table.name] = 0
        async for page in items_of(store.tables, table):
            items[table.name] += len(page)
            advance(f"Counting {table.name}", items[table.name], items[table.name])
    return Amount(
        games={game.config.game: game.seq for game in games},
        history=await store.journal.count(partitions),
        items=items,
        blobs=len(await store.blobs.list(FOLDER)),
    )
