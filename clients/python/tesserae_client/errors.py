# ruff: noqa: N818 - named for what happened
"""Everything this library raises, in one tree.

    TesseraeError
    ├── BadFrame                the server broke the protocol; the line is dropped
    ├── CommandFailed           a command was answered with an error
    │   └── RateLimited         ... because its credits are used up; `retry_after_ms`
    ├── Disconnected            the line was cut while a command waited; ask again
    ├── TooMuchPending          this client already waits for too many answers
    └── Stopped                 the client gave up and will not reconnect
        ├── ClientClosed        ... because it was closed here
        ├── Unreachable         ... because the server could not be reached often enough
        ├── HandshakeRefused    ... because the upgrade was refused (origin, path, protocol)
        ├── UnknownGame         ... because there is no such game
        ├── Unauthorized        close 4401: token bad, expired or revoked
        ├── Banned              close 4403
        ├── ProtocolRefused     close 4404: the server did not understand this client
        └── ClosedByOperator    close 4405

A refused placement is none of these: `Refused` is a value that `place` returns.
"""


class TesseraeError(Exception):
    """Base of all; `hint` says what can be done."""

    hint: str = ""

    def __str__(self) -> str:
        text = super().__str__()
        return f"{text} ({self.hint})" if self.hint else text


class BadFrame(TesseraeError):
    """The server sent bytes that version 1 of the protocol does not allow."""

    hint = "check that the address is a Tesserae server of protocol version 1"


class CommandFailed(TesseraeError):
    """A command was answered with an error; `code` is the protocol's name for it."""

    def __init__(self, code: str, message: str) -> None:
        super().__init__(f"{code}: {message}")
        self.code = code
        self.message = message


class RateLimited(CommandFailed):
    """The credits of a bucket are used up; wait `retry_after_ms`."""

    def __init__(self, message: str, retry_after_ms: int, scope: str | None) -> None:
        super().__init__("rate", message)
        self.retry_after_ms = retry_after_ms
        self.scope = scope


class Disconnected(TesseraeError):
    """The line was cut before the answer came."""

    hint = "the client reconnects by itself: await ready(), then ask again"


class TooMuchPending(TesseraeError):
    """Too many answers are outstanding; memory stays bounded."""

    hint = "await some of the earlier calls first"


class Stopped(TesseraeError):
    """The client will not reconnect."""

    code: int | None = None

    def __init__(self, message: str, code: int | None = None) -> None:
        super().__init__(message)
        self.code = code


class ClientClosed(Stopped):
    """The client was closed on this side."""

    hint = "open a new Client"


class Unreachable(Stopped):
    """`give_up_after` attempts failed in a row."""

    hint = "is the server running, and the address right?"


class HandshakeRefused(Stopped):
    """The upgrade to WebSocket was refused; `code` is the HTTP status."""

    hint = "check the address (…/ws), the origin and the version of this library"


class UnknownGame(Stopped):
    """The server has no such game."""

    hint = "names are <metaGame>#<gameId>; the default canvas is place#main"


class Unauthorized(Stopped):
    """The token is bad, expired or revoked."""

    hint = "get a new token, or connect as a guest"


class Banned(Stopped):
    """This user or address is banned."""

    hint = "ask the operator of the server"


class ProtocolRefused(Stopped):
    """The server closed the line because of what this client sent."""

    hint = "update the library; if it is the newest, report the message"


class ClosedByOperator(Stopped):
    """An operator closed this connection for good."""

    hint = "ask the operator of the server"


_BY_CLOSE_CODE: dict[int, type[Stopped]] = {
    4401: Unauthorized,
    4403: Banned,
    4404: ProtocolRefused,
    4405: ClosedByOperator,
}


def stopped_by(code: int, reason: str) -> Stopped:
    """Build the error of a 44xx close."""
    error = _BY_CLOSE_CODE.get(code, Stopped)
    return error(f"the server closed the connection with {code}: {reason or 'no reason'}", code)


def command_error(error: dict[str, object]) -> CommandFailed:
    """Build the error of a reply that is not ok."""
    code, message = str(error.get("code")), str(error.get("message", ""))
    if code != "rate":
        return CommandFailed(code, message)
    retry = error.get("retryAfterMs", error.get("leftMs"))
    scope = error.get("scope")
    return RateLimited(
        message,
        retry if isinstance(retry, int) else 1000,
        scope if isinstance(scope, str) else None,
    )
