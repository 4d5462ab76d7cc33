"""The ring: the newest numbered events of one game, for resumes and slow readers.

Owns a bounded run of consecutive seqs without a hole. Pixels are kept as packed records in chunks,
control events as themselves; a base picture empties it, since no events lead over one. It never
looks at a board and never evicts a half of a chunk. Filled by the replica, read by the hub.
"""

from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import islice

from canvas.events import BaseImported, ControlEvent

RECORD_BYTES = 4
CHUNK_RECORDS = 4096


@dataclass(frozen=True, slots=True)
class PixelRun:
    """Consecutive pixels of one generation: record k is seq `first + k`."""

    first: int
    last: int
    generation: int
    records: bytes
    """u32 little-endian each, as on the wire."""


Segment = PixelRun | ControlEvent


@dataclass(slots=True)
class _Chunk:
    first: int
    generation: int
    records: bytearray = field(default_factory=bytearray)

    @property
    def last(self) -> int:
        return self.first + len(self.records) // RECORD_BYTES - 1

    def run_after(self, seq: int) -> PixelRun:
        first = max(self.first, seq + 1)
        start = (first - self.first) * RECORD_BYTES
        return PixelRun(first, self.last, self.generation, bytes(self.records[start:]))


class Ring:
    """Events `oldest`..`newest`; `max_events` bounds the memory (4 bytes a pixel)."""

    def __init__(self, start: int, max_events: int) -> None:
        self._parts: deque[_Chunk | ControlEvent] = deque()
        self._max_events = max_events
        self._newest = start
        self._before_oldest = start

    @property
    def newest(self) -> int:
        """Seq of the newest event, or where the ring started."""
        return self._newest

    @property
    def resumable_from(self) -> int:
        """The lowest seq a client may have and still be served from here."""
        return self._before_oldest

    def append(self, segment: Segment) -> None:
        """Add what follows the newest seq; raises ValueError on a hole or a repeat."""
        first, last = span(segment)
        if first != self._newest + 1:
            raise ValueError(f"the ring is at seq {self._newest}, seq {first} does not follow it")
        if isinstance(segment, PixelRun):
            self._append_run(segment)
        elif isinstance(segment, BaseImported):
            self._parts.clear()
            self._before_oldest = last
        else:
            self._parts.append(segment)
        self._newest = last
        self._evict()

    def _append_run(self, run: PixelRun) -> None:
        tail = self._parts[-1] if self._parts else None
        if (
            not isinstance(tail, _Chunk)
            or tail.generation != run.generation
            or len(tail.records) >= CHUNK_RECORDS * RECORD_BYTES
        ):
            tail = _Chunk(run.first, run.generation)
            self._parts.append(tail)
        tail.records += run.records

    def _evict(self) -> None:
        while len(self._parts) > 1 and self._newest - _last(self._parts[0]) >= self._max_events:
            self._before_oldest = _last(self._parts.popleft())

    def after(self, seq: int) -> list[Segment] | None:
        """Everything after `seq`, oldest first; None when the ring has moved on or not got there.

        Neighbouring chunks of one generation stay apart: the caller joins what it sends together.
        """
        if not self._before_oldest <= seq <= self._newest:
            return None
        parts = list(self._parts_after(seq))
        return [part.run_after(seq) if isinstance(part, _Chunk) else part for part in parts]

    def _parts_after(self, seq: int) -> Iterator[_Chunk | ControlEvent]:
        # Most readers want the last few events, so look from the new end.
        wanted = 0
        for part in reversed(self._parts):
            if _last(part) <= seq:
                break
            wanted += 1
        return islice(self._parts, len(self._parts) - wanted, None)


def span(segment: Segment) -> tuple[int, int]:
    """First and last seq of a segment."""
    if isinstance(segment, PixelRun):
        return segment.first, segment.last
    return segment.seq, segment.seq


def _last(part: _Chunk | ControlEvent) -> int:
    return part.last if isinstance(part, _Chunk) else part.seq
