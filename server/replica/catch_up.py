"""Catch-ups: what brings a reader from an older seq to the present, as few bytes as may be.

Owns the choice between plain frames, conflated frames and a snapshot. Pure but for a small cache.
Called by the hub for resumes, slow readers and paced readers.
"""

from collections.abc import Iterable, Iterator
from itertools import groupby
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from canvas.events import BaseImported, ControlEvent, Resized
from canvas.records import COLOR_SHIFT
from server.replica.replica import Replica
from server.replica.ring import PixelRun, Segment
from server.telemetry.traffic import Traffic
from server.wire import events
from server.wire.codec import Codec, Stream

FRAME_RECORDS = 32_768
"""128 KiB of records a frame: WebSocket clients commonly refuse messages above 1 MiB."""
CELL_MASK = (1 << COLOR_SHIFT) - 1
"""What of a record says where it is."""
MIN_RECORD_BYTES = 65_536
BOARD_SHARE = 4
"""Records are told up to a quarter of the packed board (what it deflates to), or 64 KiB."""
SHARE_EVERY = 64
"""Readers that lag within one stretch of 64 seqs share a catch-up; repeats are harmless to them."""
KEPT_BYTES = 32 * 1024 * 1024
"""Of catch-ups kept at once: clients choose where they start, and each may hold a megabyte."""


class Frame(NamedTuple):
    """The content of one pixels frame, whatever the codec."""

    first: int
    last: int
    generation: int
    records: bytes
    conflated: bool


Part = Frame | ControlEvent


def encode(parts: Iterable[Part], stream: Stream, codec: Codec) -> bytes:
    """Encode parts in order as WebSocket frames, joined."""
    return b"".join([_encode_part(part, stream, codec) for part in parts])


def _encode_part(part: Part, stream: Stream, codec: Codec) -> bytes:
    if isinstance(part, Frame):
        return codec.pixels(
            stream,
            part.generation,
            part.first,
            part.last,
            part.records,
            conflated=part.conflated,
        )
    if isinstance(part, Resized):
        return events.resize(stream.game, part)
    if isinstance(part, BaseImported):
        return events.base(stream.game, part)
    return events.settings(stream.game, part)


class CatchUps:
    """Catch-ups of one game; the ones asked for since the last publication are kept."""

    def __init__(self, replica: Replica, traffic: Traffic) -> None:
        self._replica = replica
        self._traffic = traffic
        self._at_seq = -1
        self._parts: dict[int, list[Part]] = {}
        self._encoded: dict[tuple[int, Codec], bytes] = {}
        self._kept_bytes = 0
        self._too_far = -1
        """From here and before it takes more bytes than a snapshot, and never less again."""

    def possible(self, seq: int) -> bool:
        """Whether events lead from `seq` to the present in fewer bytes than a snapshot."""
        return self._since(self._start_of(seq)) is not None

    def since(self, seq: int, codec: Codec) -> bytes | None:
        """Frames from `seq` to the present; None when only a snapshot can help."""
        if seq == self._replica.seq:
            return b""
        start = self._start_of(seq)
        parts = self._since(start)
        if parts is None:
            return None
        key = (start, codec)
        if key not in self._encoded:
            self._encoded[key] = encode(parts, self._replica.stream, codec)
            self._kept_bytes += len(self._encoded[key])
            self._traffic.catch_ups_encoded += 1
        return self._encoded[key]

    def _start_of(self, seq: int) -> int:
        return min(seq, max(seq - seq % SHARE_EVERY, self._replica.ring.resumable_from))

    def _since(self, start: int) -> list[Part] | None:
        if start <= self._too_far:
            return None
        if self._replica.seq != self._at_seq or self._kept_bytes > KEPT_BYTES:
            self._forget()
        parts = self._parts.get(start)
        if parts is None:
            parts = self._merge(start)
            if parts is None:
                self._too_far = start
            else:
                self._parts[start] = parts
        return parts

    def _forget(self) -> None:
        self._parts.clear()
        self._encoded.clear()
        self._kept_bytes = 0
        self._at_seq = self._replica.seq

    def _merge(self, start: int) -> list[Part] | None:
        segments = self._replica.ring.after(start)
        if segments is None:
            return None
        limit_bytes = max(MIN_RECORD_BYTES, self._replica.board.packed.nbytes // BOARD_SHARE)
        parts: list[Part] = []
        size_bytes = 0
        for part in merge(segments):
            size_bytes += len(part.records) if isinstance(part, Frame) else 0
            if size_bytes > limit_bytes:
                return None
            parts.append(part)
        self._kept_bytes += size_bytes
        return parts


def frames_of(segments: Iterable[Segment]) -> Iterator[Part]:
    """Cut published segments into frames as they are told to everybody in step."""
    for segment in segments:
        if isinstance(segment, PixelRun):
            yield from _cut(segment.first, segment.generation, [segment], conflate=False)
        else:
            yield segment


def merge(segments: Iterable[Segment]) -> Iterator[Part]:
    """Join the pixels of one generation, and keep the newest record of each cell if fewer."""
    for generation, group in groupby(segments, key=_generation):
        if generation is None:
            yield from group  # type: ignore[misc]  # the key is None for control events alone
        else:
            runs: list[PixelRun] = list(group)  # type: ignore[arg-type]  # runs alone
            yield from _cut(runs[0].first, generation, runs, conflate=True)


def _generation(segment: Segment) -> int | None:
    return segment.generation if isinstance(segment, PixelRun) else None


def _cut(first: int, generation: int, runs: list[PixelRun], *, conflate: bool) -> Iterator[Frame]:
    records = np.frombuffer(b"".join([run.records for run in runs]), dtype="<u4")
    for start in range(0, len(records), FRAME_RECORDS):
        part = records[start : start + FRAME_RECORDS]
        newest = newest_of_each_cell(part) if conflate else part
        yield Frame(
            first + start,
            first + start + len(part) - 1,
            generation,
            newest.tobytes(),
            conflated=len(newest) < len(part),
        )


def newest_of_each_cell(records: NDArray[np.uint32]) -> NDArray[np.uint32]:
    """Keep the last record of each cell, in the order of their last writes; shape (m,), m <= n."""
    backwards = records[::-1] & np.uint32(CELL_MASK)
    _, newest = np.unique(backwards, return_index=True)
    if len(newest) == len(records):
        return records
    kept: NDArray[np.uint32] = records[np.sort(len(records) - 1 - newest)]
    return kept
