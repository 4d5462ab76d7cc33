"""`history`: who placed what where and when, newest first, by area, user and time.

Owns the fields, their checks, and what a page costs; the search itself is history_search.py's. A
page may be short, or empty, and yet have a cursor.
"""

from typing import Any

from pydantic import Field

from canvas.geometry import Geometry
from persistence.errors import PermanentFault
from persistence.ports import Rectangle
from server.commands.area import CORNERS, area_of
from server.commands.cursors import Cursor, CursorError
from server.commands.history_search import Search
from server.commands.moment import Moment
from server.commands.registry import (
    Call,
    Command,
    Done,
    Failed,
    Http,
    Outcome,
    Reply,
    Request,
    bad_request,
    refused,
)
from server.commands.replies import Point
from server.commands.watching import GameName, find
from server.game.game import Game
from server.game.placements import original_area, placement_entry

DEFAULT_LIMIT = 100
MAX_LIMIT = 1000
ITEMS_PER_CREDIT = 200
"""On top of what the command costs by itself."""
MAX_USER_CHARS = 128


class HistoryAsked(Request):
    """An area in array coordinates of the current generation, a user, a time; all may be absent."""

    game: GameName
    x1: int | None = None
    y1: int | None = None
    x2: int | None = None
    y2: int | None = None
    """The last column and row, included."""
    user: str | None = Field(default=None, min_length=1, max_length=MAX_USER_CHARS)
    since: Moment | None = None
    """In ms since the epoch or ISO 8601; `until` too, and both are included."""
    until: Moment | None = None
    limit: int = Field(default=DEFAULT_LIMIT, ge=1, le=MAX_LIMIT)
    cursor: str | None = Field(default=None, max_length=1024)
    """Of the page before; only with the same query."""


class Entry(Reply):
    """One placement; x and y are where its cell lies today."""

    seq: int
    at: int
    """In ms since the epoch."""
    x: int
    y: int
    original: Point
    """The cell in the frame of the very first board."""
    color: int
    previous: int
    """The colour that it replaced."""
    by: str
    """Id of the user."""


class HistoryReply(Reply):
    """A page of placements that were published at `seq`, newest first."""

    game: GameName
    seq: int
    entries: list[Entry]
    cursor: str | None = None
    """Where the next page goes on; absent at the end."""


async def _history(call: Call[HistoryAsked]) -> Outcome:
    asked, services = call.request, call.caller.services
    game = await find(services, asked.game)
    if isinstance(game, Failed):
        return game
    if asked.since is not None and asked.until is not None and asked.since > asked.until:
        return bad_request("since", "lies after until; exchange the two")
    query = _query_of(asked, game)
    try:
        cursor = Cursor.read(asked.cursor, query, game.replica.generation)
    except CursorError as error:
        return bad_request("cursor", str(error))
    area = _area(asked, _frame(game, cursor))
    if isinstance(area, Failed):
        return area
    search = Search(services.journal, game, area, asked.user, asked.since, asked.until, asked.limit)
    refusal = call.caller.charge(search.looked_at // ITEMS_PER_CREDIT)
    if refusal is not None:
        return refused(refusal)
    try:
        return await _page(search, cursor, query)
    except PermanentFault:
        if cursor.position is None:
            raise
        return bad_request("cursor", "is damaged; begin without one")


def _query_of(asked: HistoryAsked, game: Game) -> str:
    """Name the query that a cursor belongs to: everything but the size of a page."""
    told = asked.model_dump(exclude={"limit", "cursor"}, exclude_none=True)
    return f"{game.epoch} {sorted(told.items())}"


async def _page(search: Search, cursor: Cursor, query: str) -> Outcome:
    replica = search.game.replica
    seq, geometry = replica.seq, replica.lineage.geometry
    items, following = await search.found(cursor, seq)
    fields: dict[str, Any] = {
        "game": search.game.name,
        "seq": seq,
        "entries": [placement_entry(item, geometry) for item in items],
    }
    if following is not None:
        fields["cursor"] = following.encode(query)
    return Done(fields)


def _frame(game: Game, cursor: Cursor) -> Geometry:
    """Return the frame that the area of a query is meant in: of its first page."""
    lineage = game.replica.lineage
    return lineage.frame(cursor.generation) or lineage.geometry


def _area(asked: HistoryAsked, frame: Geometry) -> Rectangle | Failed | None:
    """Return the area in original coordinates; None where it is the whole board."""
    area = area_of([getattr(asked, name) for name in CORNERS], frame)
    if area is None or isinstance(area, Failed):
        return area
    return None if area == frame.whole else original_area(area, frame)


COMMAND = Command(
    "history",
    "Ask who placed what where and when",
    HistoryAsked,
    HistoryReply,
    _history,
    Http("GET", "/api/games/{game}/history"),
    cost=4,
)
