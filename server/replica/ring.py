"""The ring: the newest numbered events of one game, for resumes and slow readers.

Owns a bounded run of consecutive seqs without a hole. Pixels are kept as packed records in chunks,
each of which knows which of its pixels still show at its end; control events are kept as
themselves; a base picture empties it, since no events lead over one. It never looks at a board and
never evicts a half of a chunk. Filled by the replica, read by the hub.
"""

from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import islice

import numpy as np
from numpy.typing import NDArray

from canvas.events import BaseImported, ControlEvent
from server.replica.merging import Frame, newest_flags

RECORD_BYTES = 4
CHUNK_RECORDS = 8192
"""Merged once, for all readers: a quarter of a millisecond. Less would merge a busy corner less."""
LEAST_RECORDS = 64
RING_SHARE = 8
"""A small ring has chunks of an eighth, so that it keeps about as much as it was told to."""
FEW_RECORDS = 1024
"""Cheaper to merge for one reader than all of a chunk that still grows."""


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
    _newest: NDArray[np.bool_] = field(default_factory=lambda: np.zeros(0, np.bool_))
    """Of the records that there were when it was made: whether they showed at the end of them."""
    _merged: Frame | None = None

    def __len__(self) -> int:
        return len(self.records) // RECORD_BYTES

    @property
    def last(self) -> int:
        return self.first + len(self) - 1

    def run_after(self, seq: int) -> PixelRun:
        first = max(self.first, seq + 1)
        start = (first - self.first) * RECORD_BYTES
        return PixelRun(first, self.last, self.generation, bytes(self.records[start:]))

    def merged_after(self, seq: int) -> Frame:
        if seq >= self.first:
            return self._merge(seq + 1 - self.first)
        if self._merged is None or self._merged.last != self.last:
            self._merged = self._merge(0)
        return self._merged

    def _merge(self, skipped: int) -> Frame:
        # Of a copy, since a bytearray that somebody looks at cannot grow.
        records = np.frombuffer(bytes(self.records), dtype="<u4")
        rest = records[skipped:]
        newest = rest[self._flags_of(records, skipped)]
        first, conflated = self.first + skipped, len(newest) < len(rest)
        return Frame(first, self.last, self.generation, newest.tobytes(), conflated)

    def _flags_of(self, records: NDArray[np.uint32], skipped: int) -> NDArray[np.bool_]:
        if len(self._newest) != len(records):
            if len(records) - skipped <= FEW_RECORDS:
                return newest_flags(records[skipped:])
            self._newest = newest_flags(records)
        return self._newest[skipped:]


class Ring:
    """Events `oldest`..`newest`; `max_events` bounds the memory (4 bytes a pixel)."""

    def __init__(self, start: int, max_events: int) -> None:
        self._parts: deque[_Chunk | ControlEvent] = deque()
        self._max_events = max_events
        self._chunk_records = min(CHUNK_RECORDS, max(LEAST_RECORDS, max_events // RING_SHARE))
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
        records, at = memoryview(run.records), 0
        while at < len(records):
            chunk = self._open_chunk(run.first + at // RECORD_BYTES, run.generation)
            room_bytes = (self._chunk_records - len(chunk)) * RECORD_BYTES
            chunk.records += records[at : at + room_bytes]
            at += room_bytes

    def _open_chunk(self, first: int, generation: int) -> _Chunk:
        """Return the newest chunk while it has room, else a new one from `first` on."""
        tail = self._parts[-1] if self._parts else None
        if (
            isinstance(tail, _Chunk)
            and tail.generation == generation
            and len(tail) < self._chunk_records
        ):
            return tail
        chunk = _Chunk(first, generation)
        self._parts.append(chunk)
        return chunk

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

    def merged_after(self, seq: int) -> Iterator[Frame | ControlEvent]:
        """Everything after `seq`, merged chunk by chunk and the newest first.

        The ring must hold all of it. What lies far back is merged only when it is asked for.
        """
        for part in reversed(self._parts):
            if _last(part) <= seq:
                return
            yield part.merged_after(seq) if isinstance(part, _Chunk) else part

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
