"""`reopenGame`: an operator lets a game that has ended, or was archived, go on where it was."""

from server.access.identity import Role
from server.commands.game_list import ListedGame, listed
from server.commands.registry import Call, Command, Done, Http, Outcome, Request
from server.commands.steps import carried_out
from server.commands.watching import GameName


class ReopenGame(Request):
    """The game's name."""

    game: GameName


async def _reopen(call: Call[ReopenGame]) -> Outcome:
    name, steward = call.request.game, call.caller.services.steward

    async def reopen() -> Outcome:
        return Done(listed(await steward.reopen(name)))

    return await carried_out(reopen, name)


COMMAND = Command(
    "reopenGame",
    "Let a game go on that has ended",
    ReopenGame,
    ListedGame,
    _reopen,
    Http("POST", "/api/games/{game}/reopen", needs_token=True),
    cost=20,
    roles=frozenset({Role.ADMIN}),
)
