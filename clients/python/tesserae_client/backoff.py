"""When to come back: full jitter, and never earlier than the server asked.

Owns the growing bound of the delay; chance is an argument, and no clock is read here.
Called by the client's run loop, and for snapshots by HTTP.
"""

from random import Random

LONGEST_S = 86_400.0
"""A day: who is asked to wait longer looks again after it."""
STABLE_S = 2.0
"""A line that lived this long was no failure: the next delay starts small again."""


class Backoff:
    """Delays in seconds: uniform between 0 and a bound that doubles up to `cap_s`."""

    def __init__(self, rng: Random, base_s: float = 0.25, cap_s: float = 5.0) -> None:
        self._rng = rng
        self._base_s = base_s
        self._cap_s = cap_s
        self.failures = 0

    def next_s(self, retry_after_ms: int | None = None) -> float:
        """Return how long to wait now; the jitter comes on top of what the server asked."""
        bound_s = min(self._cap_s, self._base_s * 2 ** min(self.failures, 32))
        self.failures += 1
        return asked_s(retry_after_ms or 0) + self._rng.uniform(0, bound_s)

    def reset(self) -> None:
        """Start small again."""
        self.failures = 0


def asked_s(retry_after_ms: int) -> float:
    """Return the delay that the server asked for, within reason."""
    return max(0.0, min(retry_after_ms, LONGEST_S * 1000) / 1000)


def comes_back(close_code: int) -> bool:
    """Tell by its range whether a close means "come back": 44xx does not."""
    return not 4400 <= close_code <= 4499  # noqa: PLR2004 - the protocol's own range
