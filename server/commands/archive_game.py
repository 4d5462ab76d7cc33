"""`archiveGame`: an operator puts away a game that has ended; everything of it is kept."""

from server.access.identity import Role
from server.commands.game_list import ListedGame, listed
from server.commands.registry import Call, Command, Done, Http, Outcome, Request
from server.commands.steps import carried_out
from server.commands.watching import GameName


class ArchiveGame(Request):
    """The game's name."""

    game: GameName


async def _archive(call: Call[ArchiveGame]) -> Outcome:
    name, steward = call.request.game, call.caller.services.steward

    async def archive() -> Outcome:
        return Done(listed(await steward.archive(name)))

    return await carried_out(archive, name)


COMMAND = Command(
    "archiveGame",
    "Put away a game that has ended",
    ArchiveGame,
    ListedGame,
    _archive,
    Http("POST", "/api/games/{game}/archive", needs_token=True),
    cost=20,
    roles=frozenset({Role.ADMIN}),
)
