"""`game`: the state of one game, for whoever does not watch it."""

from server.commands.registry import Call, Command, Done, Failed, Http, Outcome, Request
from server.commands.replies import GameState
from server.commands.watching import GameName, find, unwatched_state


class GameAsked(Request):
    """The game's name."""

    game: GameName


async def _game(call: Call[GameAsked]) -> Outcome:
    caller, name = call.caller, call.request.game
    game = await find(caller.services, name)
    if isinstance(game, Failed):
        return game
    return Done(unwatched_state(caller, game))


COMMAND = Command(
    "game",
    "Ask for the state of a game",
    GameAsked,
    GameState,
    _game,
    Http("GET", "/api/games/{game}"),
)
