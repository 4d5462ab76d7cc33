"""The usher: lets a crowd through the door in turns, so that those inside do not wait for it.

Owns the order of upgrades that did not fit into their turn of the loop. Two thousand who were cut
dial again in one instant, and all their requests are read in one turn: each costs some tenths of a
millisecond until its session is open. Called by the doors.
"""

from collections import deque
from collections.abc import Callable

TURN = 0.005
"""Seconds of upgrades, in one turn of the loop."""


class Usher:
    """Whoever waits to be shown in, first come first."""

    def __init__(
        self, precise: Callable[[], float], call_soon: Callable[[Callable[[], None]], object]
    ) -> None:
        self._precise = precise
        self._call_soon = call_soon
        self._waiting: deque[Callable[[], None]] = deque()
        self._ends: float | None = None
        """When this turn has seen enough; None while it has seen none."""

    def __len__(self) -> int:
        return len(self._waiting)

    def has_time(self) -> bool:
        """Whether one more may be shown in at once, in this turn of the loop."""
        if self._waiting:
            return False
        if self._ends is None:
            self._begin()
            return True
        return self._precise() < self._ends

    def wait(self, show_in: Callable[[], None]) -> None:
        """Show somebody in later, after all who wait already; `show_in` must not raise."""
        self._waiting.append(show_in)

    def _begin(self) -> float:
        self._ends = ends = self._precise() + TURN
        self._call_soon(self._turn)
        return ends

    def _turn(self) -> None:
        self._ends = None
        if not self._waiting:
            return
        ends = self._begin()
        while self._waiting and self._precise() < ends:
            self._waiting.popleft()()
