"""`pixel`: what is published at one cell, and who placed it when."""

from typing import Any

from persistence.ports import Item, Lookback, Rectangle
from server.commands.area import beyond
from server.commands.registry import Call, Command, Done, Failed, Http, Outcome, Reply, Request
from server.commands.replies import Point
from server.commands.watching import GameName, find
from server.game.game import Game
from server.game.history import at_ms_of_key
from server.game.placements import is_published
from server.session.services import Services

PAGE = 16
MAX_PAGES = 8
"""Placements that are not published are skipped; there are hardly ever any."""


class Pixel(Request):
    """A cell in array coordinates of the current generation."""

    game: GameName
    x: int
    y: int


class Placed(Reply):
    """What is published at a cell at `seq`."""

    seq: int
    color: int
    by: str | None = None
    """Who placed it; left out, as `at` is, where nobody did."""
    at: int | None = None
    """When, in ms since the epoch."""
    original: Point
    """The cell in the frame of the very first board, which never changes."""


async def _pixel(call: Call[Pixel]) -> Outcome:
    services, asked = call.caller.services, call.request
    game = await find(services, asked.game)
    if isinstance(game, Failed):
        return game
    geometry = game.replica.lineage.geometry
    if (outside := beyond(geometry, x=asked.x, y=asked.y)) is not None:
        return outside
    original = (asked.x - geometry.offset_x, asked.y - geometry.offset_y)
    # Colour and seq are of one turn; the history is asked for what was newest at that seq.
    seq, color = game.replica.seq, game.replica.board.get(asked.x, asked.y)
    item = await _newest(services, game, original, seq)
    if item is not None and item["colorIndex"] != color:
        item = None  # an imported picture has covered it since
    return Done({"seq": seq, "color": color, **_by(item), "original": original})


async def _newest(
    services: Services, game: Game, original: tuple[int, int], seq: int
) -> Item | None:
    x, y = original
    cursor = None
    for _ in range(MAX_PAGES):
        page = await services.journal.within(
            game.partitions, Rectangle(x, y, x, y), Lookback(limit=PAGE, cursor=cursor)
        )
        for item in page.items:
            if is_published(item, seq, game.writers):
                return item
        cursor = page.cursor
        if cursor is None:
            break
    return None


def _by(item: Item | None) -> dict[str, Any]:
    return {} if item is None else {"by": item["userId"], "at": at_ms_of_key(item["SK"])}


COMMAND = Command(
    "pixel",
    "Ask who placed a pixel",
    Pixel,
    Placed,
    _pixel,
    Http("GET", "/api/games/{game}/pixel"),
    cost=2,
)
