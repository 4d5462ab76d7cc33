"""Catch-ups: what brings a reader from an older seq to the present, as few bytes as may be.

Owns the choice between plain frames, conflated frames and a snapshot. Pure but for what it keeps.
Called by the hub for resumes, slow readers and paced readers.
"""

from collections.abc import Iterable, Iterator

from canvas.events import BaseImported, ControlEvent, Resized
from server.replica.kept import Kept
from server.replica.merging import Frame
from server.replica.replica import Replica
from server.replica.ring import RECORD_BYTES, PixelRun, Segment
from server.telemetry.traffic import Traffic
from server.wire import events
from server.wire.codec import Codec, Stream

FRAME_RECORDS = 32_768
"""128 KiB of records a frame: WebSocket clients commonly refuse messages above 1 MiB."""
MIN_RECORD_BYTES = 65_536
MAX_RECORD_BYTES = 512 * 1024
"""What a reader that stalls again amid its catch-up may hold on to; the default ring is less."""
BOARD_SHARE = 4
"""Records are told up to a quarter of the packed board (what it deflates to), or 64 KiB."""
MAX_PARTS = 128
"""A million events of a busy corner; past it the merging itself costs more than a snapshot."""
SHARE_EVERY = 64
SHARE_PART = 16
"""Readers that lag within one stretch share a catch-up: 64 seqs, and further back a sixteenth of
the way to the present at most. What some of them have already is harmless to them."""
KEPT_BYTES = 16 * 1024 * 1024
KEPT_COUNT = 4096
"""Of catch-ups, and of frames that they are made of: clients choose where they start, and each may
be a megabyte."""
UNUSED_MS = 60_000
"""A crowd that has left, or keeps up, needs none of them."""


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
    """Catch-ups of one game; those asked for since the last publication are kept.

    The frames of which they are made stay true as long as the ring has them, and are kept longer.
    """

    def __init__(self, replica: Replica, traffic: Traffic) -> None:
        self._replica = replica
        self._traffic = traffic
        self._at_seq = -1
        self._parts: dict[int, list[Part]] = {}
        self._joined: Kept[tuple[int, Codec]] = Kept(KEPT_BYTES, KEPT_COUNT)
        self._frames: Kept[tuple[int, int, Codec]] = Kept(KEPT_BYTES, KEPT_COUNT)
        self._too_far = -1
        """From here and before it takes more bytes than a snapshot, and never less again."""
        self._asked = False
        self._asked_ms = 0

    def possible(self, seq: int) -> bool:
        """Whether events lead from `seq` to the present in fewer bytes than a snapshot."""
        return self._since(self._start_of(seq)) is not None

    def since(self, seq: int, codec: Codec) -> bytes | None:
        """Frames from `seq` to the present; None when only a snapshot can help."""
        if seq == self._replica.seq:
            return b""
        self._asked = True
        start = self._start_of(seq)
        parts = self._since(start)
        if parts is None:
            return None
        joined = self._joined.get((start, codec))
        if joined is None:
            joined = b"".join([self._encoded(part, codec) for part in parts])
            self._joined.put((start, codec), joined)
            self._traffic.catch_ups_encoded += 1
        return joined

    def forget_unused(self, now_ms: int) -> None:
        """Keep nothing once nobody has asked for a minute; called about once a second."""
        if self._asked:
            self._asked, self._asked_ms = False, now_ms
        elif now_ms - self._asked_ms >= UNUSED_MS:
            self._forget()
            self._frames.clear()

    def _start_of(self, seq: int) -> int:
        behind = max(0, self._replica.seq - seq)
        stretch = max(SHARE_EVERY, 1 << max(0, (behind // SHARE_PART).bit_length() - 1))
        return min(seq, max(seq - seq % stretch, self._replica.ring.resumable_from))

    def _since(self, start: int) -> list[Part] | None:
        ring = self._replica.ring
        if start <= self._too_far or not ring.resumable_from <= start <= ring.newest:
            return None
        if self._replica.seq != self._at_seq:
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
        self._joined.clear()
        self._at_seq = self._replica.seq

    def _merge(self, start: int) -> list[Part] | None:
        share_bytes = self._replica.board.packed.nbytes // BOARD_SHARE
        left_bytes = min(MAX_RECORD_BYTES, max(MIN_RECORD_BYTES, share_bytes))
        parts: list[Part] = []
        for part in self._replica.ring.merged_after(start):
            left_bytes -= len(part.records) if isinstance(part, Frame) else 0
            if left_bytes < 0 or len(parts) == MAX_PARTS:
                return None
            parts.append(part)
        return parts[::-1]

    def _encoded(self, part: Part, codec: Codec) -> bytes:
        if not isinstance(part, Frame):
            return _encode_part(part, self._replica.stream, codec)
        key = (part.first, part.last, codec)
        encoded = self._frames.get(key)
        if encoded is None:
            encoded = _encode_part(part, self._replica.stream, codec)
            self._frames.put(key, encoded)
        return encoded


def frames_of(segments: Iterable[Segment]) -> Iterator[Part]:
    """Cut published segments into frames as they are told to everybody in step."""
    for segment in segments:
        if isinstance(segment, PixelRun):
            yield from _cut(segment)
        else:
            yield segment


def _cut(run: PixelRun) -> Iterator[Frame]:
    step = FRAME_RECORDS * RECORD_BYTES
    for at in range(0, len(run.records), step):
        records = run.records[at : at + step]
        first = run.first + at // RECORD_BYTES
        last = first + len(records) // RECORD_BYTES - 1
        yield Frame(first, last, run.generation, records, conflated=False)
