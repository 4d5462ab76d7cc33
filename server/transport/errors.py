"""What the transport raises, and who is wrong.

ListenError    ours: the port cannot be had; raised once, at the start
BadHead        theirs: a request's head breaks HTTP; answered with its status
Violation      theirs: a frame breaks WebSocket or is too big; answered with a close code
"""

from http import HTTPStatus

from server.wire.codes import CloseCode


class ListenError(Exception):
    """The server cannot listen where it was told to; `hint` tells the operator what helps."""

    def __init__(self, message: str, hint: str) -> None:
        super().__init__(message)
        self.hint = hint


class BadHead(Exception):  # noqa: N818 - it names the request, as Malformed names a message
    """A request that is refused before anybody has looked at what it asks for."""

    def __init__(self, status: HTTPStatus, message: str) -> None:
        super().__init__(message)
        self.status = status


class Violation(Exception):  # noqa: N818 - it names what the client did
    """A frame after which nothing of the client can be understood."""

    def __init__(self, code: CloseCode, message: str) -> None:
        super().__init__(message)
        self.code = code
