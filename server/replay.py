"""Replay: history items, in order, become the published state again.

Owns the rules of which items count: the contiguous prefix after the snapshot, and nothing that a
superseded writer left beyond its last valid seq. Pure: it is fed pages and asked for the outcome.
Called by recovery.
"""

from collections import deque
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from canvas.board import Board
from canvas.events import Event, Resized
from canvas.growth import Lineage
from canvas.settings import Settings
from persistence.ports import Item, Key
from server.history import at_ms_of_key, from_item
from server.replica import Replica, segments_of
from server.ring import Ring
from server.wire.codec import Stream


@dataclass(frozen=True, slots=True)
class Base:
    """What a replay starts from: a stored snapshot, or the blank first board at seq 0."""

    board: Board
    lineage: Lineage
    seq: int
    last_sk: str


@dataclass(slots=True)
class Outcome:
    """What came of a replay."""

    replica: Replica
    last_sk: str
    last_at_ms: int
    orphans: list[Key] = field(default_factory=list)
    """Items after the first hole; they were never published."""


class Replay:
    """Takes pages of items that begin somewhat before the base (for the ring) or right after it."""

    def __init__(
        self,
        stream: Stream,
        epoch: str,
        base: Base,
        settings: Settings,
        *,
        writers: Mapping[int, int],
        ring_events: int,
        on_events: Callable[[Sequence[Event]], None],
    ) -> None:
        self._stream = stream
        self._epoch = epoch
        self._base = base
        self._settings = settings
        self._writers = writers
        self._ring_events = ring_events
        self._on_events = on_events
        self._before: deque[Item] | None = deque(maxlen=ring_events)
        self._replica: Replica | None = None
        self._last_sk = base.last_sk
        self._orphans: list[Key] = []

    def feed(self, items: Iterable[Item]) -> None:
        """Take the next page. Raises KeyError or ValueError for an item that makes no sense."""
        valid = [item for item in items if "seq" in item and self._is_valid(item)]
        if self._before is not None:
            valid = self._take_before(valid)
        if valid:
            self._take_after(self._started(), valid)

    def _is_valid(self, item: Item) -> bool:
        last_valid = self._writers.get(item["fence"])
        return last_valid is None or item["seq"] <= last_valid

    def _take_before(self, items: list[Item]) -> list[Item]:
        assert self._before is not None  # noqa: S101  # tested by the caller
        for place, item in enumerate(items):
            if item["seq"] > self._base.seq:
                return items[place:]
            self._before.append(item)
        return []

    def _started(self) -> Replica:
        if self._replica is None:
            self._replica = self._start()
        return self._replica

    def _start(self) -> Replica:
        before = self._events_before()
        base = self._base
        ring = Ring(before[0].seq - 1 if before else base.seq, self._ring_events)
        for segment in segments_of(before):
            ring.append(segment)
        if before:
            self._on_events(before)
        return Replica(self._stream, self._epoch, base.board, base.lineage, self._settings, ring)

    def _events_before(self) -> list[Event]:
        """Read the items up to the base that lead to it without a hole, oldest first."""
        items = list(self._before or ())
        self._before = None
        generation = self._base.lineage.geometry.generation
        expected = self._base.seq
        events: list[Event] = []
        for item in reversed(items):
            if item["seq"] != expected:
                break
            if item.get("kind") == "resize":
                generation = item["generation"] - 1
            events.append(from_item(item, generation))
            expected -= 1
        events.reverse()
        return events

    def _take_after(self, replica: Replica, items: list[Item]) -> None:
        expected = replica.seq + 1
        generation = replica.generation
        events: list[Event] = []
        for item in items:
            seq = item["seq"]
            if seq == expected and not self._orphans:
                event = from_item(item, generation)
                if type(event) is Resized:
                    generation = event.generation
                events.append(event)
                expected += 1
                self._last_sk = item["SK"]
            elif seq >= expected:
                self._orphans.append(Key(item["PK"], item["SK"]))
        if events:
            replica.apply(events)
            self._on_events(events)

    def finish(self) -> Outcome:
        """End the replay."""
        replica = self._started()
        last_at_ms = at_ms_of_key(self._last_sk) if self._last_sk else 0
        return Outcome(replica, self._last_sk, last_at_ms, self._orphans)
