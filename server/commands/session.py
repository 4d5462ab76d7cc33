"""`session`: become a guest by HTTP, or learn who a token names. For scripts without a WebSocket.

A guest that is made here counts as one who was connected for a moment: until the hour is over, or
for as long as it is connected with its token.
"""

from http import HTTPStatus

from server.commands.caller import Caller
from server.commands.identify import ban_on, new_guest, prepare
from server.commands.registry import (
    Call,
    Command,
    Done,
    Failed,
    Http,
    Outcome,
    Request,
    bad_request,
)
from server.commands.you import Person, person
from server.wire.codes import ErrorCode


class OpenSession(Request):
    """Whether to become a guest; whoever sends no token does, unless it is false."""

    guest: bool | None = None


async def _open(call: Call[OpenSession]) -> Outcome:
    caller, guest = call.caller, call.request.guest
    if caller.identity is not None and guest:
        return bad_request("guest", "send either a token or guest, not both")
    if caller.identity is None and guest is False:
        return Failed(ErrorCode.UNAUTHORIZED, "without a token you can only be a guest")
    unready = await prepare(caller, None, guest=True)
    # After what is awaited: no other guest may come between the limit and being counted in it.
    return ban_on(caller) or unready or _opened(caller)


def _opened(caller: Caller) -> Outcome:
    if caller.identity is not None:
        return Done(person(caller.identity, None))
    made = new_guest(caller)
    if isinstance(made, Failed):
        return made
    assert made.identity is not None  # noqa: S101  # it is a guest
    limit = caller.services.guest_limit
    limit.join(caller.remote, made.identity.id)
    limit.leave(caller.remote, made.identity.id)
    return Done(person(made.identity, made.token))


COMMAND = Command(
    "session",
    "Become a guest, or learn who you are",
    OpenSession,
    Person,
    None,
    Http("POST", "/api/session", HTTPStatus.CREATED, handler=_open),
    cost=5,
)
