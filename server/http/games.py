"""`/api/games`: which games there are, and the state of each.

Owns the two JSON routes; the state itself is the one that `subscribe` replies.
"""

from typing import Any

import orjson
from aiohttp import web

from server.game.game import Game
from server.game.state import game_state
from server.http.reading import game_of, started
from server.session.services import Services

NO_CACHE = {"Cache-Control": "no-cache"}


def routes(services: Services) -> list[web.RouteDef]:
    """Give the routes."""

    async def all_games(_request: web.Request) -> web.Response:
        started(services)
        return _json({"games": [_state(services, game) for game in services.games]})

    async def one_game(request: web.Request) -> web.Response:
        return _json(_state(services, game_of(request, services)))

    return [web.get("/api/games", all_games), web.get("/api/games/{game}", one_game)]


def _state(services: Services, game: Game) -> dict[str, Any]:
    watchers = services.hub.watchers(game.name)
    return game_state(game, user_id=None, resume=None, watchers=watchers)


def _json(value: Any) -> web.Response:
    return web.Response(body=orjson.dumps(value), content_type="application/json", headers=NO_CACHE)
