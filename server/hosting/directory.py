"""The directory: every game there is, whether it runs or not.

Owns the rows of all games in memory and the channels that are given; what changes is written first.
One process writes, so what it knows is what is stored. Called by the host.
"""

from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import suppress

from persistence.errors import ConditionFailed, StoreDamaged, StoreError
from persistence.ports import Condition, Item, Put, Table, Tables, Write
from persistence.tables import CONFIG, MAIN
from server.game import config
from server.game.config import GameConfig
from server.game.names import game_of_sort_key
from server.hosting.game_rows import PARTITION, GameRow, founding, moving, row_of

MAX_GAMES = 10_000
MAX_CHANNEL = 0xFFFF


class Taken(ValueError):  # noqa: N818 - it says what is wrong
    """The name, or its second part, belongs to another game; or there is no room for one more."""


class Directory:
    """All games by name."""

    def __init__(self, tables: Tables, on_damage: Callable[[StoreDamaged], None]) -> None:
        self._tables = tables
        self._on_damage = on_damage
        self._rows: dict[str, GameRow] = {}
        self._channels: dict[str, int] = {}

    async def load(self, now_ms: int) -> None:
        """Read what there is, and give a row to a game that has none. Raises StoreError."""
        async for item in _items(self._tables, MAIN, PARTITION):
            try:
                row = row_of(item)
            except (ValueError, TypeError) as error:
                what = f"the row GAME / {item['sk']} cannot be read: {error}"
                hint = "`tesserae store check` tells of all; put it back from a backup"
                self._on_damage(StoreDamaged(what, hint))
            else:
                self._rows[row.game] = row
        async for item in _items(self._tables, CONFIG, config.PARTITION):
            game = game_of_sort_key(item["SK"])
            self._channels[game] = item["channel"]
            if game not in self._rows:
                await self._write(GameRow(game, created_at_ms=now_ms))

    async def _write(self, row: GameRow) -> None:
        with suppress(ConditionFailed):  # a row that cannot be read stands there, and was told of
            await self._tables.write(founding(row))
        self._rows[row.game] = row

    # --- what there is -------------------------------------------------------

    def get(self, game: str) -> GameRow | None:
        """The row of a game; None when there is no such game."""
        return self._rows.get(game)

    def by_channel(self, channel: int) -> str | None:
        """Name of the game that was given a channel."""
        return next((game for game, its in self._channels.items() if its == channel), None)

    def __iter__(self) -> Iterator[GameRow]:
        """Walk all rows, oldest game first."""
        return iter(sorted(self._rows.values(), key=lambda row: (row.created_at_ms, row.game)))

    def __len__(self) -> int:
        return len(self._rows)

    # --- what becomes of them ------------------------------------------------

    async def create(self, row: GameRow, make: Callable[[int], GameConfig]) -> GameConfig:
        """Found a game on the next free channel; both its items, or none.

        Raises Taken, StoreError, and what `make` raises.
        """
        self._check_free(row)
        found = make(self._next_channel())
        # Taken before anything is awaited, so that nobody else is given it.
        self._rows[row.game], self._channels[row.game] = row, found.channel
        item = Put(CONFIG, found.to_item(), Condition(exists=False))
        try:
            await self._tables.transact([item, founding(row)])
        except ConditionFailed as error:
            self._forget(row.game)
            raise Taken(f"{row.game} is there already, as another program has made it") from error
        except StoreError:
            self._forget(row.game)
            raise
        return found

    def _forget(self, game: str) -> None:
        del self._rows[game], self._channels[game]

    def _check_free(self, row: GameRow) -> None:
        if len(self._rows) >= MAX_GAMES:
            raise Taken(f"there are {MAX_GAMES:,} games already; use another data directory")
        twin = next((one.game for one in self._rows.values() if one.id == row.id), None)
        if twin is not None:
            raise Taken(f"the second part of the name belongs to {twin}; choose another")

    def _next_channel(self) -> int:
        """A channel is never given twice: old frames must not speak of another game."""
        channel = max(self._channels.values(), default=0) + 1
        if channel > MAX_CHANNEL:
            raise Taken("every channel was given to a game; use another data directory")
        return channel

    def steps(self, row: GameRow) -> tuple[Write, ...]:
        """Write what a row becomes, beside whatever else is to be written with it."""
        return moving(self._rows[row.game], row)

    def know(self, row: GameRow) -> None:
        """Take note of a row that was written."""
        self._rows[row.game] = row

    async def change(self, row: GameRow) -> None:
        """Write what a row becomes, by itself. Raises StoreError."""
        await self._tables.transact(self.steps(row))
        self.know(row)


async def _items(tables: Tables, table: Table, partition: str) -> AsyncIterator[Item]:
    cursor: str | None = None
    while True:
        page = await tables.query(table, partition, cursor=cursor)
        for item in page.items:
            yield item
        cursor = page.cursor
        if cursor is None:
            return
