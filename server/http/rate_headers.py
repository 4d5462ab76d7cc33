"""Rate limits in headers: `RateLimit-Policy` and `RateLimit`, by the IETF's draft of these names.

Owns their form (draft-ietf-httpapi-ratelimit-headers-10: structured fields with q, w, r and t).
A bucket of credits is a quota of its burst in the time that it takes to fill. Called by the
application for every response of the API.
"""

from collections.abc import Sequence
from typing import Any, NamedTuple

from server.http.purses import NAMES, HttpPurse
from server.session.allowance import Bucket

RATE_HEADERS = (POLICY := "RateLimit-Policy", LEFT := "RateLimit")
COOLDOWN = "cooldown"


class Limit(NamedTuple):
    """One limit as it stands."""

    name: str
    quota: int
    window_ms: int
    left: int
    reset_ms: int
    """Until all of the quota is there, or, of a cooldown, until the next placement."""


def limit_of(purse: HttpPurse, bucket: Bucket) -> Limit | None:
    """Describe a bucket; None when there is no limit."""
    rule = purse.rule
    if rule.off:
        return None
    left, full_in_ms = purse.left(bucket)
    return Limit(NAMES[bucket], rule.burst, 1000 * rule.burst // rule.rate, left, full_in_ms)


def cooldown_limit(cooldown: dict[str, Any]) -> Limit | None:
    """Describe a game's cooldown; None when there is none."""
    if not cooldown["ms"]:
        return None
    window_ms = cooldown["ms"] * cooldown["maxStack"]
    return Limit(COOLDOWN, cooldown["maxStack"], window_ms, cooldown["stack"], cooldown["leftMs"])


def rate_headers(limits: Sequence[Limit]) -> dict[str, str]:
    """Write limits as headers; none for no limits."""
    if not limits:
        return {}
    return {
        POLICY: ", ".join(f'"{one.name}";q={one.quota};w={_s(one.window_ms)}' for one in limits),
        LEFT: ", ".join(f'"{one.name}";r={one.left};t={_s(one.reset_ms)}' for one in limits),
    }


def _s(ms: int) -> int:
    """Give whole seconds, never too few."""
    return -(-ms // 1000)
