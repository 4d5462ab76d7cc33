"""The adaptive tick: how long to wait before the next flush.

Owns one number, when the next flush may be. Knows no clock and no loop: the ticker tells it times
in seconds. At once when idle, else so that the loop is at most half busy with fan-out. Intervals
are from start to start: what a flush itself takes is no further wait for whoever places.
"""

SHARE = 0.5
"""Of the loop's time, at most, is fan-out's."""


class FanOut:
    """What fan-out has held the loop so far, of all streams of one loop together."""

    def __init__(self) -> None:
        self.seconds = 0.0


class Pacer:
    """Decides when a stream is flushed next."""

    def __init__(self, min_interval: float, max_interval: float) -> None:
        self.shortest = min_interval
        self.interval = 0.0
        """Seconds from the end of the last flush to the next that it allowed."""
        self._max = max_interval
        self._not_before = float("-inf")

    def delay(self, now: float) -> float:
        """Seconds to wait before a flush that is asked for at `now`; 0 when idle."""
        return max(0.0, self._not_before - now)

    def earliest(self, started: float, cost: float) -> float:
        """When the flush after one may start, during which fan-out took `cost` seconds so far."""
        return started + max(self.shortest, cost / SHARE)

    def flushed(self, started: float, ended: float, cost: float) -> None:
        """Note a flush during which fan-out took `cost` seconds; the rest of its time others had.

        That of other streams, too: two crowds would else leave nothing of the loop.
        """
        rest = self.earliest(started, cost) - ended
        self.interval = min(self._max, max(0.0, rest))
        self._not_before = ended + self.interval
