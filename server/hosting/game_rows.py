"""The rows `GAME`: one for each game, under `#0#` while it runs and under `#1#` once it has ended.

Owns the key, which is the seed's, and the attributes, which are ours. A game is in one place at a
time: it moves in one transaction. Pure.
"""

import re
from dataclasses import dataclass, replace

from persistence.ports import Condition, Delete, Item, Key, Put, Write
from persistence.tables import MAIN

PARTITION = "GAME"
NAME_FORM = re.compile(r"[A-Za-z0-9_-]{1,64}#[A-Za-z0-9_-]{1,64}")
MAX_TITLE_CHARS = 80


@dataclass(frozen=True, slots=True)
class GameRow:
    """What is known of a game that need not run. Times are on the wall clock, in ms."""

    game: str
    title: str = ""
    created_at_ms: int = 0
    created_by: str = ""
    ended_at_ms: int | None = None
    archived: bool = False
    """Put away: nobody is let in, and everything is kept."""

    @property
    def completed(self) -> bool:
        """Whether it has ended."""
        return self.ended_at_ms is not None

    @property
    def id(self) -> str:
        """The second part of the name, which is unique over all rule sets."""
        return self.game.partition("#")[2]

    def key(self) -> Key:
        """Where the row is now."""
        return key_of(self.game, completed=self.completed)

    def to_item(self) -> Item:
        """Make the whole item."""
        key = self.key()
        return {
            "pk": key.partition,
            "sk": key.sort,
            "title": self.title,
            "createdAt": self.created_at_ms,
            "createdBy": self.created_by,
            "endedAt": self.ended_at_ms,
            "archived": self.archived,
        }

    def ended(self, at_ms: int) -> "GameRow":
        """Return it as it is once the game has ended."""
        return replace(self, ended_at_ms=at_ms)

    def put_away(self) -> "GameRow":
        """Return it as it is once the game is archived."""
        return replace(self, archived=True)

    def taken_out(self) -> "GameRow":
        """Return it as it is once the game is archived no more."""
        return replace(self, archived=False)

    def reopened(self) -> "GameRow":
        """Return it as it is once the game runs again."""
        return replace(self, ended_at_ms=None)


def checked_name(game: str) -> str:
    """Return a name that games may have. Raises ValueError."""
    if not NAME_FORM.fullmatch(game):
        raise ValueError(
            "must be <metaGame>#<gameId>, each of 1 to 64 letters, digits, hyphens or underscores"
        )
    return game


def key_of(game: str, *, completed: bool) -> Key:
    """Key of a game's row."""
    meta, _, game_id = game.partition("#")
    return Key(PARTITION, f"{meta}#{int(completed)}#{game_id}")


def row_of(item: Item) -> GameRow:
    """Read an item; a key of another form raises ValueError."""
    meta, completed, game_id = item["sk"].split("#")
    if completed not in {"0", "1"}:
        raise ValueError(f"the sort key {item['sk']!r} does not tell whether the game has ended")
    ended_at = item.get("endedAt")
    return GameRow(
        game=checked_name(f"{meta}#{game_id}"),
        title=item.get("title", ""),
        created_at_ms=item.get("createdAt", 0),
        created_by=item.get("createdBy", ""),
        ended_at_ms=(ended_at or 0) if completed == "1" else None,
        archived=item.get("archived", False),
    )


def founding(row: GameRow) -> Put:
    """Write the row of a new game."""
    return Put(MAIN, row.to_item(), Condition(exists=False))


def moving(before: GameRow, after: GameRow) -> tuple[Write, ...]:
    """Write a row that may change its place; in one transaction."""
    put = Put(MAIN, after.to_item())
    if before.key() == after.key():
        return (put,)
    return (Delete(MAIN, before.key(), Condition(exists=True)), put)
