"""The way of a command: text to message, credits, request, handler, reply.

Owns that each command gets exactly one reply and what becomes of every kind of wrong text. Each
step that ends the way answers by itself. Called by the session with every text message.
"""

from collections.abc import Coroutine, Mapping
from inspect import iscoroutine
from typing import Any

from pydantic import ValidationError

from server.commands.registry import (
    Call,
    Command,
    Done,
    Failed,
    Outcome,
    Registry,
    bad_request,
)
from server.session.allowance import Bucket
from server.session.session import Session
from server.wire.codes import ErrorCode
from server.wire.errors import Malformed
from server.wire.json_text import decode_object, reply_error, reply_ok

MAX_ID = 2**53 - 1
"""The largest integer that every JSON reader keeps exactly."""


class Dispatcher:
    """Takes the text messages of all sessions."""

    def __init__(self, registry: Registry) -> None:
        self._registry = registry

    def __call__(self, session: Session, data: bytes) -> None:
        """Take one text message."""
        try:
            message = decode_object(data)
        except Malformed as malformed:
            session.bad_frame(str(malformed))
            return
        command_id = _id_of(message)
        command = self._registry.get(message.get("do"))
        outcome = None if _paid_by_handler(command) else _refused_for_rate(session, command)
        if outcome is None:
            if command_id is None:
                failed = bad_request("id", "must be an integer from 0 to 2^53 - 1")
                outcome = _unhandled(session, command, failed)
            elif command is None:
                outcome = self._unknown(message.get("do"))
            else:
                _carry_out(session, command_id, command, message)
                return
        _answer(session, command_id, outcome)

    def _unknown(self, name: object) -> Failed:
        if not isinstance(name, str):
            return bad_request("do", "must be the name of a command")
        known = ", ".join(command.name for command in self._registry)
        return Failed(
            ErrorCode.UNKNOWN_COMMAND, f"there is no command {name[:64]!r}; known are {known}"
        )


def _id_of(message: Mapping[str, Any]) -> int | None:
    command_id = message.get("id")
    # type() and not isinstance(): true is an int to Python, and no id.
    if type(command_id) is int and 0 <= command_id <= MAX_ID:
        return command_id
    return None


def _paid_by_handler(command: Command[Any] | None) -> bool:
    return command is not None and not command.prepaid


def _unhandled(session: Session, command: Command[Any] | None, failed: Failed) -> Failed:
    """Take the credits of a command that does not reach the handler which would take them."""
    refused = _refused_for_rate(session, command) if _paid_by_handler(command) else None
    return refused or failed


def _refused_for_rate(session: Session, command: Command[Any] | None) -> Failed | None:
    cost, bucket = (command.cost, command.bucket) if command else (1, Bucket.MESSAGES)
    refusal = session.charge(cost, bucket)
    if refusal is None:
        return None
    extra = {"retryAfterMs": refusal.left_ms, "scope": refusal.scope}
    return Failed(refusal.why.code, refusal.message, extra)


def _carry_out(
    session: Session, command_id: int, command: Command[Any], message: Mapping[str, Any]
) -> None:
    if not command.allowed(session.roles):
        wanted = " or ".join(sorted(command.roles or ()))
        text = f"{command.name} needs the role {wanted}; subscribe with a token that has it"
        forbidden = Failed(ErrorCode.FORBIDDEN, text)
        _answer(session, command_id, _unhandled(session, command, forbidden))
        return
    try:
        request = command.request.model_validate(message)
    except ValidationError as error:
        _answer(session, command_id, _unhandled(session, command, _first_fault(error)))
        return
    _handle(session, command, Call(session, command_id, request))


def _handle(session: Session, command: Command[Any], call: Call[Any]) -> None:
    try:
        outcome = command.handler(call)
    except Exception as fault:  # noqa: BLE001 - the edge: told to the peer and logged, once
        outcome = _internal(session, command, fault)
    if iscoroutine(outcome):
        session.hold_while(_finish(command, call, outcome))
    else:
        _answer(session, call.id, outcome)  # type: ignore[arg-type]  # no coroutine here


async def _finish(
    command: Command[Any], call: Call[Any], coming: Coroutine[Any, Any, Outcome]
) -> None:
    try:
        outcome = await coming
    except Exception as fault:  # noqa: BLE001 - as above
        outcome = _internal(call.session, command, fault)
    _answer(call.session, call.id, outcome)


def _answer(session: Session, command_id: int | None, outcome: Outcome) -> None:
    connection = session.connection
    if outcome is None or connection.closing:
        return
    if isinstance(outcome, Done):
        assert command_id is not None  # noqa: S101  # no command is carried out without one
        connection.write(reply_ok(command_id, outcome.fields))
    else:
        connection.write(reply_error(command_id, outcome.code, outcome.message, **outcome.extra))
    outcome.then()


def _internal(session: Session, command: Command[Any], fault: Exception) -> Failed:
    session.services.on_fault(f"the command {command.name}", fault)
    return Failed(ErrorCode.INTERNAL, f"{command.name} failed here; it is safe to try again")


def _first_fault(error: ValidationError) -> Failed:
    first = error.errors(include_url=False, include_input=False)[0]
    words = first["msg"]
    if first["type"] == "model_type":
        words = "Input should be a JSON object"  # pydantic names our class
    elif first["type"] == "value_error":
        words = str(first["ctx"]["error"])
    return bad_request(".".join(map(str, first["loc"])), words)
