"""The way of a command: text to message, credits, request, handler, reply.

Owns that each command gets exactly one reply and what becomes of every kind of wrong text. Each
step that ends the way answers by itself. Called by the session with every text message.
"""

from collections.abc import Coroutine, Mapping
from inspect import iscoroutine
from typing import Any

from server.commands.checks import forbidden, read_request
from server.commands.registry import (
    Call,
    Command,
    Done,
    Failed,
    OnSession,
    Registry,
    Request,
    SessionCall,
    SessionOutcome,
    bad_request,
    refused,
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
        command = self._find(message.get("do"))
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

    def _find(self, name: object) -> Command[Any] | None:
        command = self._registry.get(name)
        return None if command is None or command.handler is None else command

    def _unknown(self, name: object) -> Failed:
        if not isinstance(name, str):
            return bad_request("do", "must be the name of a command")
        known = ", ".join(command.name for command in self._registry.over_websocket())
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
    return None if refusal is None else refused(refusal)


def _carry_out(
    session: Session, command_id: int, command: Command[Any], message: Mapping[str, Any]
) -> None:
    request = forbidden(command, session.roles) or read_request(command.request, message)
    if isinstance(request, Failed):
        _answer(session, command_id, _unhandled(session, command, request))
        return
    try:
        outcome = _handled(session, command_id, command, request)
    except Exception as fault:  # noqa: BLE001 - the edge: told to the peer and logged, once
        outcome = _internal(session, command, fault)
    if iscoroutine(outcome):
        session.hold_while(_finish(session, command_id, command, outcome))
    else:
        _answer(session, command_id, outcome)  # type: ignore[arg-type]  # no coroutine here


def _handled(
    session: Session, command_id: int, command: Command[Any], request: Request
) -> SessionOutcome | Coroutine[Any, Any, SessionOutcome]:
    handler = command.handler
    if isinstance(handler, OnSession):
        return handler.handle(SessionCall(session, command_id, request))
    assert handler is not None  # noqa: S101  # only such a command is found here
    return handler(Call(session, request))


async def _finish(
    session: Session,
    command_id: int,
    command: Command[Any],
    coming: Coroutine[Any, Any, SessionOutcome],
) -> None:
    try:
        outcome = await coming
    except Exception as fault:  # noqa: BLE001 - as above
        outcome = _internal(session, command, fault)
    _answer(session, command_id, outcome)


def _answer(session: Session, command_id: int | None, outcome: SessionOutcome) -> None:
    connection = session.connection
    if outcome is None or connection.closing:
        return
    metrics = session.services.metrics
    if isinstance(outcome, Done):
        assert command_id is not None  # noqa: S101  # no command is carried out without one
        reply = reply_ok(command_id, outcome.fields)
    else:
        metrics.failed[outcome.code] += 1
        reply = reply_error(command_id, outcome.code, outcome.message, **outcome.extra)
    connection.write(reply)
    metrics.traffic.replies.add(len(reply))
    outcome.then()


def _internal(session: Session, command: Command[Any], fault: Exception) -> Failed:
    session.services.on_fault(f"the command {command.name}", fault)
    return Failed(ErrorCode.INTERNAL, f"{command.name} failed here; it is safe to try again")
