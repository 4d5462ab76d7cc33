"""`games`: which games there are, and the state of each that runs."""

from server.access.identity import Role
from server.commands.caller import Caller
from server.commands.game_list import ListedGame, listed
from server.commands.registry import Call, Command, Done, Http, Outcome, Reply, Request
from server.commands.replies import GameState
from server.commands.watching import unwatched_state

MOST = 1000
"""Games in a list, newest first."""


class Games(Request):
    """Nothing is asked for but the list."""


class GameList(Reply):
    """All games, and the state of those that run; the archived ones are for operators alone."""

    games: list[GameState]
    """Those that run, in the order in which they were opened."""
    all: list[ListedGame]
    """Every game, newest first; one that does not run is brought to life by whoever enters it."""


def _games(call: Call[Games]) -> Outcome:
    caller = call.caller
    running = [unwatched_state(caller, game) for game in caller.services.games]
    return Done({"games": running, "all": _all(caller)})


def _all(caller: Caller) -> list[dict[str, object]]:
    sees_all = Role.ADMIN in caller.roles
    rows = [row for row in caller.services.host.directory if sees_all or not row.archived]
    return [listed(row) for row in rows[: -MOST - 1 : -1]]


COMMAND = Command(
    "games", "Ask which games there are", Games, GameList, _games, Http("GET", "/api/games"), cost=2
)
