"""The adaptive tick: how long to wait before the next flush.

Owns one number, what the last flush cost. Knows no clock and no loop: the ticker tells it times in
seconds. At once when idle, else so that the loop is at most half busy with fan-out.
"""

COST_FACTOR = 1.0


class Pacer:
    """Decides when a stream is flushed next."""

    def __init__(self, min_interval: float, max_interval: float) -> None:
        self.shortest = min_interval
        self.interval = 0.0
        """Seconds from the last flush to the next that it allowed."""
        self._max = max_interval
        self._not_before = float("-inf")

    def delay(self, now: float) -> float:
        """Seconds to wait before a flush that is asked for at `now`; 0 when idle."""
        return max(0.0, self._not_before - now)

    def flushed(self, cost: float, ended: float) -> None:
        """Note a flush; the next one waits as long as it held the loop, within the bounds."""
        self.interval = min(self._max, max(self.shortest, COST_FACTOR * cost))
        self._not_before = ended + self.interval
