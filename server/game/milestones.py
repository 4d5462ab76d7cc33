"""The items of the milestones table: when a board grows, and by how much.

Owns their keys and how those that are due are found. Never fires one: whether it fits the board
is decided where the board is.
"""

from persistence.ports import Condition, Item, Tables
from persistence.tables import MILESTONES
from server.game.names import DEFAULT_GAME

_UNFIRED = Condition(equals={"fired": False})
(_BY_TRIGGER,) = MILESTONES.indexes


def milestone_partition(game: str) -> str:
    """Return the partition of a game's milestones."""
    return "MILESTONE" if game == DEFAULT_GAME else f"MILESTONE#{game}"


async def due(tables: Tables, game: str, now_s: int, *, limit: int = 100) -> list[Item]:
    """Return a game's milestones that are due at `now_s` and not fired, the earliest first.

    At most `limit`; what was written a moment ago may be missing. Raises StoreError.
    """
    found: list[Item] = []
    cursor: str | None = None
    while len(found) < limit:
        page = await tables.by_index(
            MILESTONES,
            _BY_TRIGGER,
            milestone_partition(game),
            at_most=now_s,
            where=_UNFIRED,
            limit=limit - len(found),
            cursor=cursor,
        )
        found += page.items
        cursor = page.cursor
        if cursor is None:
            break
    return found
