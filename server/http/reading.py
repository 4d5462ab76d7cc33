"""Reading requests for boards and pictures: which game, which part of its board.

Owns the checks of what stands in paths and queries; everything wrong is a Problem that names it.
Called by the routes under /api/games that are no commands.
"""

import re
from collections.abc import Collection

from aiohttp import web

from canvas.geometry import Geometry
from canvas.region import Region
from server.commands.area import CORNERS, area_of
from server.commands.registry import Failed
from server.commands.watching import find
from server.game.game import Game
from server.http.problems import bad_field, problem_of, unavailable
from server.phase import Stage
from server.session.services import Services

SCALE = "scale"
_WHOLE = re.compile(r"[0-9]{1,5}")


def started(services: Services) -> None:
    """Raise Problem (503) while no board is there yet."""
    if services.phase.stage is Stage.STARTING:
        raise unavailable(services.phase.reason, services.phase.retry_after_ms)


async def game_of(request: web.Request, services: Services) -> Game:
    """Find the game of the path, or bring it to life. Raises Problem (503 or 404)."""
    started(services)
    game = await find(services, request.match_info["game"][:129])
    if isinstance(game, Failed):
        raise problem_of(game)
    return game


def only(request: web.Request, known: Collection[str]) -> None:
    """Raise Problem (400) for a parameter that is none here, or stands there twice."""
    for name in request.query:
        if name not in known:
            told = f"known are {', '.join(known)}" if known else "there are none"
            raise bad_field(name[:64], f"is no parameter here; {told}")
        if len(request.query.getall(name)) > 1:
            raise bad_field(name, "stands there twice")


def region_of(request: web.Request, geometry: Geometry) -> Region | None:
    """Read the part that is asked for; None for the whole board. Raises Problem (400 or 422)."""
    corners = [whole(request, name) if name in request.query else None for name in CORNERS]
    area = area_of(corners, geometry)
    if isinstance(area, Failed):
        raise problem_of(area)
    return area


def whole(request: web.Request, name: str, default: str = "") -> int:
    """Read a whole number from the query. Raises Problem (400)."""
    text = request.query.get(name, default)
    if not _WHOLE.fullmatch(text):
        raise bad_field(name, "must be a whole number of up to five digits")
    return int(text)


def scale_of(request: web.Request, largest: int) -> int:
    """Read how many pixels of a picture a cell is wide; 1 to `largest`. Raises Problem (400)."""
    scale = whole(request, SCALE, "1")
    if not 1 <= scale <= largest:
        raise bad_field(SCALE, f"must be 1 to {largest} for this part of the board")
    return scale
