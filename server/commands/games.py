"""`games`: which games there are, and the state of each."""

from server.commands.registry import Call, Command, Done, Http, Outcome, Reply, Request
from server.commands.replies import GameState
from server.commands.watching import unwatched_state


class Games(Request):
    """Nothing is asked for but the list."""


class GameList(Reply):
    """The games that are open, in the order in which they were opened."""

    games: list[GameState]


def _games(call: Call[Games]) -> Outcome:
    caller = call.caller
    return Done({"games": [unwatched_state(caller, game) for game in caller.services.games]})


COMMAND = Command(
    "games", "Ask which games there are", Games, GameList, _games, Http("GET", "/api/games"), cost=2
)
