"""`resync`: brings one watched game to the present again, by events or by a snapshot."""

from server.commands import watching
from server.commands.registry import Command, Done, Failed, OnSession, SessionCall, SessionOutcome
from server.commands.replies import WatchedGame
from server.commands.watching import Wish
from server.wire.codes import ErrorCode


class Resync(Wish):
    """The game, and where the client stands; without a position a snapshot is sent."""


async def _resync(call: SessionCall[Resync]) -> SessionOutcome:
    session, wish = call.session, call.request
    hub, connection = session.services.hub, session.connection
    game = await watching.find(session.services, wish.game)
    if isinstance(game, Failed):
        return game
    if wish.game not in hub.watching(connection):
        return Failed(ErrorCode.CONFLICT, f"{wish.game} is not watched here; send watchGames first")
    prepared = await watching.prepare(session, game, wish)
    if connection.closing:
        return None
    return Done(
        watching.state_of(session, game, prepared.resume),
        lambda: hub.start(connection, prepared, session.interval_ms),
    )


COMMAND = Command(
    "resync", "Be brought to the present again", Resync, WatchedGame, OnSession(_resync), cost=5
)
