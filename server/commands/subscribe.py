"""`subscribe`: says who a connection is and replaces its watch set."""

from collections.abc import Sequence
from typing import Any

from pydantic import Field

from server.access.identity import Identity
from server.commands import watching, you
from server.commands.identify import Identified, identify, prepare
from server.commands.registry import (
    Command,
    Done,
    Failed,
    OnSession,
    Reply,
    Request,
    SessionCall,
    SessionOutcome,
)
from server.commands.replies import Presence, UnwatchedGame, WatchedGame
from server.commands.watching import MAX_INTERVAL_MS, Entry, Wishes
from server.session.session import Session


class Subscribe(Request):
    """Who, what, and how."""

    token: str | None = None
    guest: bool = False
    invisible: bool = False
    wants_presence: bool = True
    watch_version: int = Field(default=1, ge=0)
    """0: a legacy client, which is told hints for every game and never pixels."""
    min_interval_ms: int = Field(default=0, ge=0, le=MAX_INTERVAL_MS)
    games: Wishes = Field(default_factory=list)


class LastAccepted(Reply):
    """The last remembered placement, which settles one whose answer was cut off."""

    request: int
    game: str
    seq: int


class You(Reply):
    """Who a connection is; a spectator has neither id nor name."""

    id: str | None
    name: str | None
    roles: list[str]
    anonymous: bool
    expires_at: int | None = None
    """Milliseconds since the epoch, from when on the token counts for nothing."""
    token: str | None = None
    """There when it was made just now."""
    last_accepted: LastAccepted | None = None


class Subscribed(Reply):
    """Who you are, what you watch, and who is here when that is wanted."""

    you: You
    games: list[WatchedGame | UnwatchedGame]
    presence: Presence | None = None


async def _subscribe(call: SessionCall[Subscribe]) -> SessionOutcome:
    session, request = call.session, call.request
    unready = await prepare(session, request.token, guest=request.guest)
    if unready is not None:
        return unready
    if request.watch_version == 0:
        entries = await watching.unwatched(session, request.games)
    else:
        entries = await watching.make_ready(session, request.games)
    if session.connection.closing:
        return None
    # After what is awaited: no other guest may come between the limit and being counted in it.
    person = identify(session, request.token, guest=request.guest)
    if isinstance(person, Failed):
        return person
    _settle_in(session, person, request)
    watching.register(session, entries)
    watching.leave_others(session, [] if request.watch_version == 0 else entries)
    return Done(_reply(session, person, entries), lambda: watching.start(session, entries))


def _settle_in(session: Session, person: Identified, request: Subscribe) -> None:
    session.become(person.identity, invisible=request.invisible)
    session.wants_presence = request.wants_presence
    session.set_interval(request.min_interval_ms)
    session.services.hub.hint(session.connection, wanted=request.watch_version == 0)


def _reply(session: Session, person: Identified, entries: Sequence[Entry]) -> dict[str, Any]:
    fields: dict[str, Any] = {
        "you": _you(session, person),
        "games": watching.states(session, entries),
    }
    if session.wants_presence:
        fields["presence"] = session.services.presence.snapshot()
    return fields


def _you(session: Session, person: Identified) -> dict[str, Any]:
    identity = person.identity
    if identity is None:
        return {"id": None, "name": None, "roles": [], "anonymous": True}
    return {**you.person(identity, person.token), **_last_accepted(session, identity)}


def _last_accepted(session: Session, identity: Identity) -> dict[str, Any]:
    """The last remembered placement of all games: one may place where one does not watch."""
    found = ((game, game.last_accepted(identity.id)) for game in session.services.games)
    remembered = [(game, last) for game, last in found if last is not None]
    if not remembered:
        return {}
    game, last = max(remembered, key=lambda one: one[1].at_ms)
    return {"lastAccepted": {"request": last.request, "game": game.name, "seq": last.seq}}


COMMAND = Command(
    "subscribe",
    "Say who you are and what you watch",
    Subscribe,
    Subscribed,
    OnSession(_subscribe),
    cost=5,
)
