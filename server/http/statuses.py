"""Which HTTP status a code of the protocol has: one table, for commands and for routes of ours.

Owns nothing but the table; a test holds it against all codes that there are.
"""

from http import HTTPStatus

from canvas.refusals import Refused
from server.wire.codes import ErrorCode

STATUS_OF: dict[str, HTTPStatus] = {
    Refused.RATE.code: HTTPStatus.TOO_MANY_REQUESTS,
    Refused.UNKNOWN_GAME.code: HTTPStatus.NOT_FOUND,
    Refused.SPECTATOR.code: HTTPStatus.FORBIDDEN,
    Refused.STALE_GENERATION.code: HTTPStatus.CONFLICT,
    Refused.OUT_OF_BOUNDS.code: HTTPStatus.UNPROCESSABLE_ENTITY,
    Refused.BAD_COLOR.code: HTTPStatus.UNPROCESSABLE_ENTITY,
    Refused.ENDED.code: HTTPStatus.FORBIDDEN,
    Refused.BANNED.code: HTTPStatus.FORBIDDEN,
    Refused.LOCKED.code: HTTPStatus.FORBIDDEN,
    Refused.MASKED.code: HTTPStatus.FORBIDDEN,
    Refused.COOLDOWN.code: HTTPStatus.TOO_MANY_REQUESTS,
    Refused.ADDRESS_COOLDOWN.code: HTTPStatus.TOO_MANY_REQUESTS,
    Refused.BUSY.code: HTTPStatus.SERVICE_UNAVAILABLE,
    ErrorCode.BAD_REQUEST: HTTPStatus.BAD_REQUEST,
    ErrorCode.BAD_FRAME: HTTPStatus.BAD_REQUEST,
    ErrorCode.UNKNOWN_COMMAND: HTTPStatus.NOT_FOUND,
    ErrorCode.UNAUTHORIZED: HTTPStatus.UNAUTHORIZED,
    ErrorCode.FORBIDDEN: HTTPStatus.FORBIDDEN,
    ErrorCode.NOT_FOUND: HTTPStatus.NOT_FOUND,
    ErrorCode.CONFLICT: HTTPStatus.CONFLICT,
    ErrorCode.INTERNAL: HTTPStatus.INTERNAL_SERVER_ERROR,
}

_PLAIN = {
    HTTPStatus.UNAUTHORIZED: ErrorCode.UNAUTHORIZED,
    HTTPStatus.FORBIDDEN: ErrorCode.FORBIDDEN,
    HTTPStatus.NOT_FOUND: ErrorCode.NOT_FOUND,
    HTTPStatus.CONFLICT: ErrorCode.CONFLICT,
    HTTPStatus.TOO_MANY_REQUESTS: Refused.RATE.code,
    HTTPStatus.SERVICE_UNAVAILABLE: Refused.BUSY.code,
}


def code_of(status: HTTPStatus) -> str:
    """Name the code of an error that no command has made."""
    if status >= HTTPStatus.INTERNAL_SERVER_ERROR:
        return _PLAIN.get(status, ErrorCode.INTERNAL)
    return _PLAIN.get(status, ErrorCode.BAD_REQUEST)
