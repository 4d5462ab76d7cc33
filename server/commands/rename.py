"""`rename`: a guest chooses another name, over WebSocket or HTTP.

The id, and with it cooldown and pixels, stays; so does the expiry. Whoever an organiser or an
outside issuer has named keeps that name.
"""

from typing import Any

from canvas.refusals import Refusal, Refused
from server.access.chosen_names import chosen_name
from server.access.identity import Identity
from server.commands.identify import ban_on
from server.commands.registry import (
    Call,
    Command,
    Done,
    Failed,
    Http,
    Outcome,
    Request,
    bad_request,
    refused,
)
from server.commands.you import Person, person
from server.session.services import Services
from server.wire import events
from server.wire.codes import ErrorCode

COST = 20
"""A new name is told to everybody."""
RENAMES_SCOPE = "renames"


class Rename(Request):
    """The name to be known by."""

    name: str


def _rename(call: Call[Rename]) -> Outcome:
    caller, services = call.caller, call.caller.services
    identity = caller.identity
    if identity is None or not identity.guest:
        return Failed(ErrorCode.FORBIDDEN, "only guests choose their names; others have theirs")
    ban = ban_on(caller)
    if ban is not None:
        return ban
    try:
        name = chosen_name(call.request.name)
    except ValueError as error:
        return bad_request("name", str(error))
    wait_ms = services.rename_limit.take(identity.id)
    if wait_ms:
        text = "too many names in an hour; keep this one for now"
        return refused(Refusal(Refused.RATE, text, wait_ms, RENAMES_SCOPE))
    renamed, token = services.authenticator.rename(identity, name)
    you = person(renamed, token)
    _tell(services, caller, renamed, you)
    return Done(you)


def _tell(services: Services, caller: object, renamed: Identity, you: dict[str, Any]) -> None:
    """Let all connections of the identity be it, and hear of it; the caller hears the reply."""
    services.presence.rename(renamed.id, renamed.name)
    frame = events.you(you)
    for member in services.sessions.of_user(renamed.id):
        member.identity = renamed
        if member is not caller:
            member.connection.write(frame)
            services.metrics.traffic.events.add(len(frame))


COMMAND = Command(
    "rename",
    "Choose another name, as a guest",
    Rename,
    Person,
    _rename,
    Http("PATCH", "/api/session", needs_token=True),
    cost=COST,
)
