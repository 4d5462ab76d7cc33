"""How long a bot waits before its next placement; pure.

Owns the reading of outcomes as delays, so that bots keep to cooldowns and credits by themselves.
Called by the crew.
"""

from collections.abc import Sequence
from math import ceil
from typing import TypeGuard

from tesserae_client import FOREVER_MS, Outcome, Placed, Refused

MIN_INTERVAL_S = 0.5
"""Without a rate and without a cooldown a bot still does no more than this."""
AFTER_REFUSAL_S = 1.0
CLOSED_S = 5.0
"""Between two looks at a board that is locked or not open."""

FRAMES_PER_S = 4.0
"""A bot with a higher rate places several pixels at once instead."""
MOST_AT_ONCE = 16
"""As many as the server remembers, so that all can be settled after a cut."""

_CLOSED = frozenset({"locked", "ended", "masked", "busy"})


def delay_s(outcome: Outcome, interval_s: float | None) -> float | None:
    """Return how long to wait after one outcome; None when the bot may never place again."""
    wanted_s = MIN_INTERVAL_S if interval_s is None else interval_s
    if isinstance(outcome, Placed):
        return wanted_s if interval_s is not None else max(wanted_s, outcome.left_ms / 1000)
    if not isinstance(outcome, Refused):
        return wanted_s
    if outcome.left_ms == FOREVER_MS or outcome.code == "spectator":
        return None
    least_s = CLOSED_S if outcome.code in _CLOSED else AFTER_REFUSAL_S
    return max(least_s if outcome.left_ms <= 0 else 0.0, outcome.left_ms / 1000, wanted_s)


def at_once(rate: float | None) -> int:
    """Return how many pixels a bot places together to reach a rate (a second) with few frames."""
    return 1 if rate is None else max(1, min(MOST_AT_ONCE, ceil(rate / FRAMES_PER_S)))


def delay_after_s(outcomes: Sequence[Outcome], rate: float | None) -> float | None:
    """Return how long to wait after a turn; None when for ever.

    That is the longest of its delays; but each credit that was missing comes after the one before.
    """
    interval_s = None if rate is None else len(outcomes) / rate
    delays = [delay_s(outcome, interval_s) for outcome in outcomes]
    credits_s = sum(one.left_ms for one in outcomes if _is_rate(one)) / 1000
    return None if None in delays else max(credits_s, *(d for d in delays if d is not None))


def _is_rate(outcome: Outcome) -> TypeGuard[Refused]:
    return isinstance(outcome, Refused) and outcome.code == "rate"
