"""Close codes and error codes of the protocol; tested against docs/reference/protocol.md."""

from enum import IntEnum, StrEnum


class CloseCode(IntEnum):
    """Why a connection was closed. 41xx: come back later; 44xx: do not come back."""

    NORMAL = 1000
    GOING_AWAY = 1001
    TOO_BIG = 1009
    RESTART = 1012
    STARTING = 4101
    SLOW = 4102
    TOO_MANY_CONNECTIONS = 4103
    RATE = 4104
    TOKEN = 4401
    BANNED = 4403
    PROTOCOL = 4404
    CLOSED_BY_OPERATOR = 4405


class ErrorCode(StrEnum):
    """Errors of commands that are no refusal of a placement; JSON only."""

    BAD_REQUEST = "bad-request"
    BAD_FRAME = "bad-frame"
    UNKNOWN_COMMAND = "unknown-command"
    UNAUTHORIZED = "unauthorized"
    FORBIDDEN = "forbidden"
    NOT_FOUND = "not-found"
    CONFLICT = "conflict"
    INTERNAL = "internal"
