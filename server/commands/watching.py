"""Watch sets: from what a client asks for to streams that have begun.

Owns the three steps that `subscribe`, `watchGames` and `resync` share: make ready (may await), tell
the states, start (right after the reply, in its turn). The streams themselves are the hub's.
"""

from collections.abc import Sequence
from typing import Annotated, Any, NamedTuple

from pydantic import AfterValidator, Field

from canvas.refusals import Refusal, Refused
from persistence.errors import TransientFault
from server.asking import Position, Resume, SnapshotMode
from server.commands.caller import Caller
from server.commands.registry import Failed, Request, refused
from server.game.game import Game
from server.game.state import game_state
from server.hosting.host import NoRoom
from server.hub.subscription import Prepared
from server.session import placing
from server.session.services import Services
from server.session.session import Session

MAX_WATCHED = 64
MAX_NAME = 129
MAX_INTERVAL_MS = 60_000
NO_ROOM_RETRY_MS = 10_000

GameName = Annotated[str, Field(max_length=MAX_NAME)]


class Since(Request):
    """Where a client stands in a game's stream."""

    epoch: str
    seq: int = Field(ge=0)

    def position(self) -> Position:
        """Give it in the hub's terms."""
        return Position(self.epoch, self.seq)


class Wish(Request):
    """A game that a client wants to watch."""

    game: GameName
    since: Since | None = None
    snapshot: SnapshotMode = "inline"


def _each_once(wishes: list[Wish]) -> list[Wish]:
    if len({wish.game for wish in wishes}) < len(wishes):
        raise ValueError("each game may be named once")
    return wishes


Wishes = Annotated[list[Wish], Field(max_length=MAX_WATCHED), AfterValidator(_each_once)]


class Entry(NamedTuple):
    """One game of a watch set to be."""

    name: str
    game: Game | None
    """None: there is no such game."""
    prepared: Prepared | None
    """None: it is watched already and goes on untouched."""
    failed: Failed | None = None
    """Why there is no game."""


async def find(services: Services, name: str) -> Game | Failed:
    """Return a game, which is brought to life if need be, or say why there is none."""
    try:
        game = await services.host.find(name)
    except NoRoom as full:
        return refused(Refusal(Refused.BUSY, str(full), NO_ROOM_RETRY_MS))
    except TransientFault as fault:
        return refused(Refusal(Refused.BUSY, f"{fault}: {fault.hint}", NO_ROOM_RETRY_MS))
    return unknown_game(name) if game is None else game


async def make_ready(session: Session, wishes: Sequence[Wish]) -> list[Entry]:
    """Prepare every game that is not watched yet, or that is wanted from another position.

    Whoever awaits it looks at `connection.closing` before doing anything.
    """
    games = session.services.games
    while True:
        entries = [await _make_ready(session, wish) for wish in wishes]
        # One may have been laid to rest, or archived, while others were made ready.
        if all(entry.game is games.get(entry.name) or entry.failed for entry in entries):
            return entries


async def _make_ready(session: Session, wish: Wish) -> Entry:
    game = await find(session.services, wish.game)
    if isinstance(game, Failed):
        return Entry(wish.game, None, None, game)
    if wish.since is None and wish.game in session.services.hub.watching(session.connection):
        return Entry(wish.game, game, None)
    return Entry(wish.game, game, await prepare(session, game, wish))


async def unwatched(session: Session, wishes: Sequence[Wish]) -> list[Entry]:
    """Name the games of a legacy client, whose states are told and which are never streamed."""
    entries = await make_ready(session, wishes)
    return [entry._replace(prepared=None) for entry in entries]


async def prepare(session: Session, game: Game, wish: Wish) -> Prepared:
    """Await what a stream needs to start."""
    since = None if wish.since is None else wish.since.position()
    return await session.services.hub.prepare(game, since, wish.snapshot)


def register(session: Session, entries: Sequence[Entry]) -> None:
    """Write down what is watched from here on; a name without a game is not."""
    session.register(entry.name for entry in entries if entry.game is not None)


def leave_others(session: Session, entries: Sequence[Entry]) -> None:
    """End the streams that are not wanted any more; bring the others to the present."""
    hub, connection = session.services.hub, session.connection
    for name in hub.watching(connection) - {entry.name for entry in entries}:
        hub.stop(connection, name)
    hub.catch_up(connection)


def states(session: Session, entries: Sequence[Entry]) -> list[dict[str, Any]]:
    """Tell the state of each game, as it is where its stream starts or goes on."""
    return [_state(session, entry) for entry in entries]


def _state(session: Session, entry: Entry) -> dict[str, Any]:
    if entry.game is None:
        failed = entry.failed or unknown_game(entry.name)
        return {"game": entry.name, "error": {"code": failed.code, "message": failed.message}}
    resume: Resume = "current" if entry.prepared is None else entry.prepared.resume
    return state_of(session, entry.game, resume)


def state_of(session: Session, game: Game, resume: Resume) -> dict[str, Any]:
    """Tell one game's state."""
    watchers = session.services.hub.watchers(game.name)
    return game_state(game, user_id=session.user_id, resume=resume, watchers=watchers)


def unwatched_state(caller: Caller, game: Game) -> dict[str, Any]:
    """Tell one game's state outside of any stream."""
    watchers = caller.services.hub.watchers(game.name)
    return game_state(game, user_id=caller.user_id, resume=None, watchers=watchers)


def start(session: Session, entries: Sequence[Entry]) -> None:
    """Start the streams that were prepared; right after the reply, in its turn."""
    for entry in entries:
        if entry.prepared is not None:
            session.services.hub.start(session.connection, entry.prepared, session.interval_ms)


def unknown_game(name: str) -> Failed:
    """Say that a game does not exist."""
    return refused(placing.unknown_game(name))
