"""`game`: the state of one game, for whoever does not watch it."""

from server.commands.registry import Call, Command, Done, Http, Outcome, Request
from server.commands.replies import GameState
from server.commands.watching import GameName, unknown_game, unwatched_state


class GameAsked(Request):
    """The game's name."""

    game: GameName


def _game(call: Call[GameAsked]) -> Outcome:
    caller, name = call.caller, call.request.game
    game = caller.services.games.get(name)
    if game is None:
        return unknown_game(name)
    return Done(unwatched_state(caller, game))


COMMAND = Command(
    "game",
    "Ask for the state of a game",
    GameAsked,
    GameState,
    _game,
    Http("GET", "/api/games/{game}"),
)
