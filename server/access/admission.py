"""Admission: whether a connection that has just opened may stay.

Owns the tests at the door that need an answer in the protocol's words (a `closing` and a close
code), in their order. What is refused in HTTP (origin, handshakes) is the transport's. Called by
the session when it opens and when a user becomes known.
"""

from typing import NamedTuple

from canvas.bans import Ban, Bans
from canvas.refusals import FOREVER_MS
from canvas.rules import ban_refusal
from server.access.limits import ConnectionLimits, TooMany
from server.wire.codes import CloseCode

TOO_MANY_RETRY_MS = 30_000
"""Places become free as others leave; half a minute keeps a crowd from knocking all the time."""


class Rejection(NamedTuple):
    """How a connection is closed that may not stay."""

    code: CloseCode
    reason: str
    retry_after_ms: int | None = None


def admit(address: str, limits: ConnectionLimits, bans: Bans, wall_ms: int) -> Rejection | None:
    """Count a connection in, or say why not; only one that was counted leaves `limits` again."""
    ban = bans.of_address(address, wall_ms)
    if ban is not None:
        return banned(ban, wall_ms)
    too_many = limits.join(address)
    if too_many is not None:
        return _too_many(too_many)
    return None


def banned(ban: Ban, wall_ms: int) -> Rejection:
    """Tell a ban and how long it holds."""
    refusal = ban_refusal(ban, wall_ms)
    if refusal.left_ms == FOREVER_MS:
        return Rejection(CloseCode.BANNED, refusal.message)
    return Rejection(CloseCode.BANNED, refusal.message, refusal.left_ms)


def _too_many(which: TooMany) -> Rejection:
    reason = f"{which.value}; close another one or come back later"
    return Rejection(CloseCode.TOO_MANY_CONNECTIONS, reason, TOO_MANY_RETRY_MS)
