"""Reading requests: which game, which part of its board.

Owns the checks of what stands in paths and queries; everything wrong is a Problem that names it.
Called by the routes under /api/games.
"""

import re
from http import HTTPStatus

from aiohttp import web

from canvas.geometry import Geometry
from canvas.region import Region
from server.game.game import Game
from server.http.problems import Problem, unavailable
from server.phase import Stage
from server.session.services import Services

CORNERS = ("x1", "y1", "x2", "y2")
_WHOLE = re.compile(r"[0-9]{1,5}")


def started(services: Services) -> None:
    """Raise Problem (503) while no board is there yet."""
    if services.phase.stage is Stage.STARTING:
        raise unavailable(services.phase.reason, services.phase.retry_after_ms)


def game_of(request: web.Request, services: Services) -> Game:
    """Find the game of the path. Raises Problem (503 or 404)."""
    started(services)
    name = request.match_info["game"]
    game = services.games.get(name)
    if game is None:
        detail = f"there is no game {name[:129]!r}; GET api/games lists them, and write # as %23"
        raise Problem(HTTPStatus.NOT_FOUND, detail)
    return game


def region_of(request: web.Request, geometry: Geometry) -> Region | None:
    """Read the part that is asked for; None for the whole board. Raises Problem (400)."""
    given = [name for name in CORNERS if name in request.query]
    if not given:
        return None
    if len(given) < len(CORNERS):
        raise _bad(f"a region needs all of {', '.join(CORNERS)}")
    try:
        region = Region(*(whole(request, name) for name in CORNERS))
    except ValueError as error:
        raise _bad(str(error)) from error
    if not geometry.contains(region.x2, region.y2):
        raise _bad(f"the board is {geometry.width} x {geometry.height}; ask for a part of it")
    return region


def whole(request: web.Request, name: str, default: str = "") -> int:
    """Read a whole number from the query. Raises Problem (400)."""
    text = request.query.get(name, default)
    if not _WHOLE.fullmatch(text):
        raise _bad(f"{name} must be a whole number of up to five digits")
    return int(text)


def scale_of(request: web.Request, largest: int) -> int:
    """Read how many pixels of a picture a cell is wide; 1 to `largest`. Raises Problem (400)."""
    scale = whole(request, "scale", "1")
    if not 1 <= scale <= largest:
        raise _bad(f"scale must be 1 to {largest} for this part of the board")
    return scale


def _bad(detail: str) -> Problem:
    return Problem(HTTPStatus.BAD_REQUEST, detail)
