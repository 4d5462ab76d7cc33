"""What is looked at before a command's handler: permission and fields, the same for every way.

Owns the words of what is wrong with them. Called by the dispatcher of the WebSocket and by HTTP.
"""

from collections.abc import Iterable, Mapping
from typing import Any

from pydantic import ValidationError

from server.commands.registry import Command, Failed, RequestT, bad_request
from server.wire.codes import ErrorCode


def forbidden(command: Command[Any], roles: Iterable[str]) -> Failed | None:
    """Say why somebody with these roles may not; None when they may."""
    if command.allowed(roles):
        return None
    wanted = " or ".join(sorted(command.roles or ()))
    text = f"{command.name} needs the role {wanted}; use a token that has it"
    return Failed(ErrorCode.FORBIDDEN, text)


def read_request(request: type[RequestT], fields: Mapping[str, Any]) -> RequestT | Failed:
    """Check the fields of a command, or say which one is wrong."""
    try:
        return request.model_validate(fields)
    except ValidationError as error:
        return _first_fault(error)


def _first_fault(error: ValidationError) -> Failed:
    first = error.errors(include_url=False, include_input=False)[0]
    words = first["msg"]
    if first["type"] == "model_type":
        words = "Input should be a JSON object"  # pydantic names our class
    elif first["type"] == "value_error":
        words = str(first["ctx"]["error"])
    return bad_request(".".join(map(str, first["loc"])), words)
