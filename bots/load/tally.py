"""What happened in one second of the run, in one process or in all of them; pure.

Owns the counters and histograms of a second and their form between processes. Called by the members
to count, and by the timeline to merge.
"""

from collections import Counter
from collections.abc import Callable
from typing import Any

from bots.load.histogram import Histogram

HISTOGRAMS = ("acks", "deliveries", "late")
"""From a send to its ack, from a send to a follower's frame, and how late the sends were."""


class Slot:
    """One second."""

    __slots__ = ("acks", "counts", "deliveries", "late", "refused")

    def __init__(self) -> None:
        self.counts: Counter[str] = Counter()
        self.refused: Counter[str] = Counter()
        self.acks = Histogram()
        self.deliveries = Histogram()
        self.late = Histogram()

    def merge(self, other: "Slot") -> None:
        """Add what another one counted."""
        self.counts.update(other.counts)
        self.refused.update(other.refused)
        for name in HISTOGRAMS:
            getattr(self, name).merge(getattr(other, name))

    def to_json(self) -> dict[str, Any]:
        """Write it, without what is empty."""
        filled = {name: getattr(self, name) for name in HISTOGRAMS if getattr(self, name).count}
        return {
            "counts": self.counts,
            "refused": self.refused,
            **{name: histogram.to_numbers() for name, histogram in filled.items()},
        }

    @classmethod
    def from_json(cls, fields: dict[str, Any]) -> "Slot":
        """Read what `to_json` wrote."""
        slot = cls()
        slot.counts.update(fields["counts"])
        slot.refused.update(fields["refused"])
        for name in HISTOGRAMS:
            if name in fields:
                setattr(slot, name, Histogram.from_numbers(fields[name]))
        return slot


class Tally:
    """The seconds of one process that were not handed on yet, and its failures."""

    def __init__(self, now_s: Callable[[], float]) -> None:
        self.now_s = now_s
        """Seconds of the run."""
        self.connected = 0
        self.failures: Counter[str] = Counter()
        """Why clients left for good or did not come, and boards were not proven."""
        self.trouble = ""
        """Why a line was lost, or could not be opened, last."""
        self._slots: dict[int, Slot] = {}

    def slot(self, at_s: float | None = None) -> Slot:
        """Return the second of this moment, or of another one."""
        second = int(self.now_s() if at_s is None else at_s)
        found = self._slots.get(second)
        if found is None:
            found = self._slots[second] = Slot()
        return found

    def take(self) -> dict[int, Slot]:
        """Hand on all that was counted since the last time."""
        taken, self._slots = self._slots, {}
        return taken
