"""All seconds of all processes put together: totals, phases, and points for the plots; pure.

Owns the merging. A second becomes a point once its late figures have come; points are bounded, two
become one when there are too many. Called by the crowd for each line of a process.
"""

from dataclasses import dataclass, field

from bots.load.plan import Phase
from bots.load.tally import Slot

LATE_S = 6
"""Figures of a second may come so much later: deliveries are matched after two."""
MOST_POINTS = 1200


@dataclass(slots=True)
class Gauges:
    """What is looked at, rather than counted."""

    connected: int = 0
    busiest: float = 0.0
    """CPU of the busiest process of ours; 1.0 is a core."""
    server_cpu: float | None = None
    server_bytes: int | None = None
    machine_cpu: float | None = None
    """Share of all cores that is busy, with whatever runs there."""


@dataclass(frozen=True, slots=True)
class Point:
    """One second, or a few, as plotted; times are seconds."""

    at_s: int
    seconds: int
    gauges: Gauges
    accepted: int
    refused: int
    delivered: int
    delivery_p50_s: float | None
    delivery_p99_s: float | None
    ack_p50_s: float | None
    ack_p99_s: float | None


@dataclass(slots=True)
class Period:
    """A phase, or the whole run."""

    slot: Slot = field(default_factory=Slot)
    seconds: int = 0
    client_seconds: int = 0
    busiest: float = 0.0
    server_cpu: list[float] = field(default_factory=list)
    server_bytes: int | None = None
    """The most."""
    machine_cpu: list[float] = field(default_factory=list)

    def sample(self, gauges: Gauges) -> None:
        """Take the gauges of one second of it."""
        self.seconds += 1
        self.client_seconds += gauges.connected
        self.busiest = max(self.busiest, gauges.busiest)
        if gauges.server_cpu is not None:
            self.server_cpu.append(gauges.server_cpu)
        if gauges.machine_cpu is not None:
            self.machine_cpu.append(gauges.machine_cpu)
        if gauges.server_bytes is not None:
            self.server_bytes = max(self.server_bytes or 0, gauges.server_bytes)


class Timeline:
    """One run."""

    def __init__(self, phases: tuple[Phase, ...]) -> None:
        self.phases = phases
        self.whole = Period()
        self.periods = [Period() for _ in phases]
        self.points: list[Point] = []
        self._width = 1
        self._open: dict[int, Slot] = {}
        self._gauges: dict[int, Gauges] = {}
        self._closed = 0
        """Seconds before this one are points already."""

    def add(self, second: int, slot: Slot) -> None:
        """Take what a process counted in a second."""
        for period in self._periods(second):
            period.slot.merge(slot)
        if second >= self._closed:
            self._open.setdefault(second, Slot()).merge(slot)

    def sample(self, second: int, gauges: Gauges) -> None:
        """Take the gauges of a second, once for each; makes points of those that are complete."""
        for period in self._periods(second):
            period.sample(gauges)
        self._gauges[second] = gauges
        self._close(second - LATE_S, least=self._width)

    def end(self) -> None:
        """Make points of all that is left."""
        self._close(max(self._gauges, default=-1) + 1, least=1)

    def _close(self, before: int, least: int) -> None:
        """Make points of the seconds before that one, of at least so many at once."""
        while before - self._closed >= least:
            seconds = range(self._closed, min(self._closed + self._width, before))
            self._closed = seconds.stop
            slots = [self._open.pop(second) for second in seconds if second in self._open]
            gauges = [self._gauges.pop(second) for second in seconds if second in self._gauges]
            if gauges:
                self.points.append(_point(seconds, slots, gauges))
            if len(self.points) > MOST_POINTS:
                self._halve()

    def lately(self) -> tuple[Slot, int]:
        """Merge the seconds that are open, for the live view; and say how many they are."""
        merged = Slot()
        for slot in self._open.values():
            merged.merge(slot)
        return merged, max(1, len(self._open))

    def _periods(self, second: int) -> list[Period]:
        phases = zip(self.phases, self.periods, strict=True)
        here = [period for phase, period in phases if phase.start_s <= second < phase.stop_s]
        return [self.whole, *here]

    def _halve(self) -> None:
        pairs = zip(self.points[::2], [*self.points[1::2], None], strict=False)
        self.points = [_joined(first, second) for first, second in pairs]
        self._width *= 2


def _point(seconds: range, slots: list[Slot], gauges: list[Gauges]) -> Point:
    merged = Slot()
    for slot in slots:
        merged.merge(slot)
    return Point(
        at_s=seconds.start,
        seconds=len(seconds),
        gauges=gauges[-1],
        accepted=merged.counts["accepted"],
        refused=merged.refused.total(),
        delivered=merged.counts["delivered"],
        delivery_p50_s=merged.deliveries.percentile_s(0.5),
        delivery_p99_s=merged.deliveries.percentile_s(0.99),
        ack_p50_s=merged.acks.percentile_s(0.5),
        ack_p99_s=merged.acks.percentile_s(0.99),
    )


def _joined(first: Point, second: Point | None) -> Point:
    """Put two points together; of the delays, which cannot be put together, the worse."""
    if second is None:
        return first
    return Point(
        at_s=first.at_s,
        seconds=first.seconds + second.seconds,
        gauges=second.gauges,
        accepted=first.accepted + second.accepted,
        refused=first.refused + second.refused,
        delivered=first.delivered + second.delivered,
        delivery_p50_s=_worse(first.delivery_p50_s, second.delivery_p50_s),
        delivery_p99_s=_worse(first.delivery_p99_s, second.delivery_p99_s),
        ack_p50_s=_worse(first.ack_p50_s, second.ack_p50_s),
        ack_p99_s=_worse(first.ack_p99_s, second.ack_p99_s),
    )


def _worse(first: float | None, second: float | None) -> float | None:
    known = [value for value in (first, second) if value is not None]
    return max(known, default=None)
