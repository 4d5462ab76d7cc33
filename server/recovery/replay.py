"""Replay: history items, in order, become the published state again.

Owns which items come to be: the contiguous prefix after the snapshot, of what the writers of the
game vouch for. Pure: it is fed pages and asked for the outcome. Called by reader.py.
"""

from array import array
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import groupby

from canvas.base import LaidPicture
from canvas.board import Board
from canvas.events import BaseImported, Resized, SettingsChanged
from canvas.growth import Lineage
from canvas.packing import Cells
from canvas.settings import Settings
from persistence.ports import Item, Key
from server.game.history import EARLIEST_MS, at_ms_of_key, control_event, is_control, record_of
from server.game.writers import Writers
from server.replica.replica import Replica
from server.replica.ring import PixelRun, Ring, Segment, span
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
    holds_base: bool = True
    """Whether the history holds the event at which the snapshot was taken."""


class Replay:
    """Takes pages of items that begin somewhat before the base (for the ring) or right after it."""

    def __init__(
        self,
        stream: Stream,
        epoch: str,
        base: Base,
        settings: Settings,
        *,
        writers: Writers,
        ring_events: int,
        on_placements: Callable[[Sequence[Item], int], None],
    ) -> None:
        self._stream = stream
        self._epoch = epoch
        self._base = base
        self._settings = settings
        self._writers = writers
        self._ring_events = ring_events
        self._on_placements = on_placements
        self._before: deque[Item] | None = deque(maxlen=ring_events)
        self._replica: Replica | None = None
        self._last_sk = base.last_sk
        self._orphans: list[Key] = []
        self._holds_base = True

    @property
    def seq(self) -> int:
        """How far it has come."""
        return self._base.seq if self._replica is None else self._replica.seq

    def will_lay(self, item: Item) -> bool:
        """Whether the next item, of a base picture, is to be fed together with its cells."""
        return not self._orphans and item["seq"] == self.seq + 1 and self._writers.vouch_for(item)

    def feed(self, items: Sequence[Item], cells: Cells | None = None) -> None:
        """Take the next page, or one base picture with its cells.

        Raises KeyError or ValueError for an item that makes no sense.
        """
        valid = [item for item in items if "seq" in item and self._writers.vouch_for(item)]
        if self._before is not None:
            valid = self._take_before(valid, self._before)
        if valid:
            self._take_after(self._started(), valid, cells)

    def _take_before(self, items: list[Item], before: deque[Item]) -> list[Item]:
        """Keep what leads up to the base; returns the rest."""
        for place, item in enumerate(items):
            if item["seq"] > self._base.seq:
                return items[place:]
            before.append(item)
        return []

    def _started(self) -> Replica:
        if self._replica is None:
            self._replica = self._start()
        return self._replica

    def _start(self) -> Replica:
        base = self._base
        segments = self._segments_before()
        self._holds_base = bool(segments) or not base.seq
        ring = Ring(span(segments[0])[0] - 1 if segments else base.seq, self._ring_events)
        for segment in segments:
            ring.append(segment)
        return Replica(self._stream, self._epoch, base.board, base.lineage, self._settings, ring)

    def _segments_before(self) -> list[Segment]:
        """Read what leads to the base without a hole, oldest first."""
        items: list[Item] = []
        generation = self._base.lineage.geometry.generation
        for item in reversed(self._before or ()):
            if item["seq"] != self._base.seq - len(items):
                break
            if item.get("kind") == "resize":
                generation = item["generation"] - 1
            items.append(item)
        self._before = None
        return list(self._segments_of(items[::-1], generation))

    def _take_after(self, replica: Replica, items: list[Item], cells: Cells | None) -> None:
        in_order = self._next_in_order(replica.seq + 1, items)
        for segment in self._segments_of(in_order, replica.generation):
            if isinstance(segment, SettingsChanged):
                replica.pass_over(segment)
            elif isinstance(segment, BaseImported):
                replica.apply_segment(_laid(segment, cells, replica))
            else:
                replica.apply_segment(segment)
        if in_order:
            self._last_sk = in_order[-1]["SK"]

    def _next_in_order(self, expected: int, items: list[Item]) -> list[Item]:
        """Take the items from `expected` on up to a hole; what comes after it is an orphan."""
        in_order: list[Item] = []
        for item in items:
            if item["seq"] == expected and not self._orphans:
                in_order.append(item)
                expected += 1
            elif item["seq"] >= expected:
                self._orphans.append(Key(item["PK"], item["SK"]))
        return in_order

    def _segments_of(self, items: list[Item], generation: int) -> Iterator[Segment]:
        """Cut consecutive items into runs of placements, and control events between them.

        Placements of the past are read as records only: a million events would cost seconds.
        """
        for control, group in groupby(items, key=is_control):
            if control:
                for item in group:
                    event = control_event(item)
                    generation = event.generation if isinstance(event, Resized) else generation
                    yield event
            else:
                placements = list(group)
                self._on_placements(placements, generation)
                records = array("I", map(record_of, placements)).tobytes()
                first, last = placements[0]["seq"], placements[-1]["seq"]
                yield PixelRun(first, last, generation, records)

    def finish(self) -> Outcome:
        """End the replay."""
        replica = self._started()
        last_at_ms = at_ms_of_key(self._last_sk) if self._last_sk else EARLIEST_MS
        return Outcome(replica, self._last_sk, last_at_ms, self._orphans, self._holds_base)


def _laid(event: BaseImported, cells: Cells | None, replica: Replica) -> BaseImported:
    frame = replica.lineage.geometry
    if cells is None or event.generation != frame.generation:
        raise ValueError(f"the base picture of seq {event.seq} is not of the board at that seq")
    return replace(event, laid=LaidPicture.of(cells, event.x, event.y, frame))
