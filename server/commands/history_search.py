"""A search in a game's history, newest first: which index is asked, and what is left out.

Owns that only what is published is found, and the bounds on what one call looks at: what no index
can filter is filtered in bounded steps. Knows no request. Called by the command `history`.
"""

from dataclasses import dataclass, replace

from persistence.ports import Item, Journal, Lookback, Page, Rectangle
from server.commands.cursors import Cursor
from server.game.game import Game
from server.game.history import time_key
from server.game.placements import is_published, lies_in

MAX_PAGES = 4
"""The most that one call asks of the store; each page is bounded there, too."""
FILTERED_PAGE = 1000


@dataclass(frozen=True, slots=True)
class Search:
    """What is looked for, and where."""

    journal: Journal
    game: Game
    area: Rectangle | None
    """In original coordinates; None is the whole board."""
    user: str | None
    since_ms: int | None
    until_ms: int | None
    limit: int

    @property
    def is_filtered(self) -> bool:
        """Whether no index gives just what is wanted."""
        return self.user is not None and self.area is not None

    @property
    def looked_at(self) -> int:
        """How many items one call may look at."""
        return MAX_PAGES * FILTERED_PAGE if self.is_filtered else self.limit

    async def _page(self, position: str | None, room: int) -> Page:
        """Read on in the store, newest first."""
        look = Lookback(
            after="" if self.since_ms is None else time_key(self.since_ms),
            up_to=None if self.until_ms is None else time_key(self.until_ms + 1),
            limit=FILTERED_PAGE if self.is_filtered else room,
            cursor=position,
        )
        if self.user is not None:
            return await self.journal.by_user(self.user, look)
        if self.area is not None:
            return await self.journal.within(self.game.partitions, self.area, look)
        return await self.journal.newest(self.game.partitions, look)

    def _wants(self, item: Item, seq: int) -> bool:
        """Whether an item was published by `seq`, and is what was asked for."""
        return (
            is_published(item, seq, self.game.writers)
            and item["PK"] in self.game.partitions
            and (not self.is_filtered or lies_in(self.area, item))
        )

    async def found(self, cursor: Cursor, seq: int) -> tuple[list[Item], Cursor | None]:
        """Read until the page is full, nothing is left, or enough was looked at."""
        items: list[Item] = []
        limit, position = self.limit, cursor.position
        # A cursor is a client's text: what it says never leads beyond what is published.
        below = seq + 1 if cursor.below_seq is None else min(cursor.below_seq, seq + 1)
        for _ in range(MAX_PAGES):
            room = limit - len(items)
            page = await self._page(position, room)
            wanted = [item for item in page.items if self._wants(item, below - 1)]
            items += wanted[:room]
            if len(wanted) > room:
                return items, replace(cursor, position=position, below_seq=items[-1]["seq"])
            position = page.cursor
            if position is None:
                return items, None
            if len(items) == limit:
                break
        return items, replace(cursor, position=position, below_seq=None)
