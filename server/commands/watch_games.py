"""`watchGames`: replaces the watch set of a connection; an empty list watches nothing."""

from server.commands import watching
from server.commands.registry import (
    Command,
    Done,
    OnSession,
    Reply,
    Request,
    SessionCall,
    SessionOutcome,
)
from server.commands.replies import UnwatchedGame, WatchedGame
from server.commands.watching import Wishes


class WatchGames(Request):
    """The games to watch from now on."""

    games: Wishes


class Watched(Reply):
    """The state of each game, in the order in which they were named."""

    games: list[WatchedGame | UnwatchedGame]


async def _watch_games(call: SessionCall[WatchGames]) -> SessionOutcome:
    session, games = call.session, call.request.games
    if session.services.hub.is_hinted(session.connection):
        entries = await watching.unwatched(session, games)
    else:
        entries = await watching.make_ready(session, games)
    if session.connection.closing:
        return None
    watching.register(session, entries)
    watching.leave_others(session, entries)
    states = watching.states(session, entries)
    return Done({"games": states}, lambda: watching.start(session, entries))


COMMAND = Command(
    "watchGames", "Replace what you watch", WatchGames, Watched, OnSession(_watch_games), cost=5
)
