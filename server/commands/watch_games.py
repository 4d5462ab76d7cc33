"""`watchGames`: replaces the watch set of a connection; an empty list watches nothing."""

from server.commands import watching
from server.commands.registry import Call, Command, Done, Outcome, Request
from server.commands.watching import Wishes


class WatchGames(Request):
    """The games to watch from now on."""

    games: Wishes


async def _watch_games(call: Call[WatchGames]) -> Outcome:
    session, games = call.session, call.request.games
    if session.services.hub.is_hinted(session.connection):
        entries = watching.unwatched(session, games)
    else:
        entries = await watching.make_ready(session, games)
    if session.connection.closing:
        return None
    watching.leave_others(session, entries)
    states = watching.states(session, entries)
    return Done({"games": states}, lambda: watching.start(session, entries))


COMMAND = Command("watchGames", "Replace what you watch", WatchGames, _watch_games, cost=5)
