"""How long a bot waits before its next placement; pure.

Owns the reading of outcomes as delays, so that bots keep to cooldowns and credits by themselves.
Called by the runner.
"""

from tesserae_client import FOREVER_MS, Outcome, Placed, Refused

MIN_INTERVAL_S = 0.5
"""Without a rate and without a cooldown a bot still does no more than this."""
AFTER_REFUSAL_S = 1.0
CLOSED_S = 5.0
"""Between two looks at a board that is locked or not open."""

_CLOSED = frozenset({"locked", "ended", "masked", "busy"})


def delay_s(outcome: Outcome, interval_s: float | None) -> float | None:
    """Return how long to wait after an outcome; None when the bot may never place again."""
    wanted_s = MIN_INTERVAL_S if interval_s is None else interval_s
    if isinstance(outcome, Placed):
        return wanted_s if interval_s is not None else max(wanted_s, outcome.left_ms / 1000)
    if not isinstance(outcome, Refused):
        return wanted_s
    if outcome.left_ms == FOREVER_MS or outcome.code == "spectator":
        return None
    least_s = CLOSED_S if outcome.code in _CLOSED else AFTER_REFUSAL_S
    return max(least_s if outcome.left_ms <= 0 else 0.0, outcome.left_ms / 1000, wanted_s)
