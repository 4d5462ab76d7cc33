"""`endGame`: an operator ends a game: nothing is placed any more, and everybody may look on."""

from server.access.identity import Role
from server.commands.game_list import ListedGame, listed
from server.commands.registry import Call, Command, Done, Http, Outcome, Request
from server.commands.steps import carried_out
from server.commands.watching import GameName


class EndGame(Request):
    """The game's name."""

    game: GameName


async def _end(call: Call[EndGame]) -> Outcome:
    name, steward = call.request.game, call.caller.services.steward

    async def end() -> Outcome:
        return Done(listed(await steward.end(name)))

    return await carried_out(end, name)


COMMAND = Command(
    "endGame",
    "End a game",
    EndGame,
    ListedGame,
    _end,
    Http("POST", "/api/games/{game}/end", needs_token=True),
    cost=20,
    roles=frozenset({Role.ADMIN}),
)
