"""The adaptive tick: how long to wait before the next flush.

Owns one number, when the next flush may be. Knows no clock and no loop: the ticker tells it times
in seconds. At once when idle, else so that the loop is at most half busy with fan-out.
"""

SHARE = 0.5
"""Of the loop's time, at most, is fan-out's."""


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

    def flushed(self, started: float, ended: float, cost: float) -> None:
        """Note a flush that held the loop for `cost` seconds; the rest of its time others had."""
        rest = started + cost / SHARE - ended
        self.interval = min(self._max, max(self.shortest, rest))
        self._not_before = ended + self.interval
