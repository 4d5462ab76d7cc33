"""What operators and visitors are told of a game that need not run: the shape, and its making."""

from typing import Any

from server.commands.registry import Reply
from server.commands.watching import GameName
from server.hosting.game_rows import GameRow


class ListedGame(Reply):
    """A game by its row."""

    game: GameName
    title: str
    created_at: int
    """Milliseconds since the epoch; 0 where nobody knows."""
    ended_at: int | None = None
    """When it ended; absent while it goes on."""
    archived: bool


def listed(row: GameRow) -> dict[str, Any]:
    """Tell a game by its row."""
    ended = {} if row.ended_at_ms is None else {"endedAt": row.ended_at_ms}
    return {
        "game": row.game,
        "title": row.title,
        "createdAt": row.created_at_ms,
        **ended,
        "archived": row.archived,
    }
