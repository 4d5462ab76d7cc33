"""Identity: who a `subscribe` makes of a connection.

Owns the rules of becoming somebody: by a token, as a guest, or not at all; and that nobody becomes
somebody else. What has to be awaited is awaited by `prepare`; then it is decided in one turn, which
changes nothing: `become` does, once the command succeeds. HTTP asks `verified` for its tokens.
"""

from dataclasses import dataclass

from canvas.refusals import Refusal, Refused
from canvas.rules import ban_refusal
from server.access import admission
from server.access.auth import Unauthorized
from server.access.auth_keys import IssuerAway
from server.access.identity import Identity
from server.commands.caller import Caller
from server.commands.registry import Failed, bad_request, refused
from server.session.services import Services
from server.session.session import Session
from server.wire.codes import CloseCode, ErrorCode

GUESTS_SCOPE = "guests-per-address"


@dataclass(frozen=True, slots=True)
class Identified:
    """Who a connection will be; `token` when it was made just now."""

    identity: Identity | None
    token: str | None = None


async def prepare(caller: Caller, token: str | None, *, guest: bool) -> Failed | None:
    """Await what `identify` and `new_guest` need to know, or say what stands against it."""
    if token is not None:
        return await _prepare_token(caller.services, token)
    if guest and caller.identity is None and caller.services.rules.guests:
        reason = await caller.services.entry.admit(caller.remote)
        if reason is not None:
            return Failed(ErrorCode.FORBIDDEN, reason)
    return None


async def _prepare_token(services: Services, token: str) -> Failed | None:
    try:
        await services.authenticator.prepare(token)
    except IssuerAway as away:
        return refused(Refusal(Refused.BUSY, str(away), away.retry_after_ms))
    return None


def identify(session: Session, token: str | None, *, guest: bool) -> Identified | Failed:
    """Tell who the client is, or why it cannot be."""
    if token is not None and guest:
        return bad_request("guest", "send either a token or guest, not both")
    if token is not None:
        return _by_token(session, token)
    if guest and session.identity is None:
        return new_guest(session)
    return Identified(session.identity)


def _by_token(session: Session, token: str) -> Identified | Failed:
    try:
        identity = verified(session.services, token)
    except Unauthorized as unauthorized:
        return _unauthorized(session, unauthorized.reason)
    if session.identity is not None and session.identity.id != identity.id:
        return bad_request("token", "this connection is somebody else already; open another one")
    wall_ms = session.services.clock.wall_ms()
    ban = session.services.bans.of_user(identity.id, wall_ms)
    if ban is not None:
        return _banned(session, admission.banned(ban, wall_ms))
    return Identified(identity)


def verified(services: Services, token: str) -> Identity:
    """Tell whom a token names, if such people are let in. Raises Unauthorized."""
    identity = services.authenticator.verify(token)
    if identity.guest and not services.rules.guests:
        raise Unauthorized("guests are not let in here any more")
    return identity


def ban_on(caller: Caller) -> Failed | None:
    """Tell the ban of the caller's address or identity, where there is one."""
    bans, wall_ms = caller.services.bans, caller.services.clock.wall_ms()
    ban = bans.of_address(caller.remote, wall_ms)
    if ban is None and caller.user_id is not None:
        ban = bans.of_user(caller.user_id, wall_ms)
    return None if ban is None else refused(ban_refusal(ban, wall_ms))


def _banned(session: Session, rejection: admission.Rejection) -> Failed:
    return Failed(ErrorCode.FORBIDDEN, rejection.reason, then=lambda: session.reject(rejection))


def _unauthorized(session: Session, reason: str) -> Failed:
    def close() -> None:
        session.connection.close(CloseCode.TOKEN, reason)

    return Failed(ErrorCode.UNAUTHORIZED, f"{reason}; sign in again", then=close)


def new_guest(caller: Caller) -> Identified | Failed:
    """Make somebody a guest, or say why not; whoever succeeds is to be counted in this turn."""
    services = caller.services
    if not services.rules.guests:
        return Failed(ErrorCode.FORBIDDEN, "guests are not let in here; come with a token")
    wait_ms = services.guest_limit.wait_ms(caller.remote)
    if wait_ms:
        message = "your address has as many guests as it may; use a token or come back later"
        return refused(Refusal(Refused.RATE, message, wait_ms, GUESTS_SCOPE))
    return Identified(*services.authenticator.mint_guest())
