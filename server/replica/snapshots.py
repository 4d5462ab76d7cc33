"""Snapshots for joiners: the packed board in bands, encoded once for any number of readers.

Owns the choice of codec and band size, and the one encoding in flight of each game. Encoding runs
in a thread from a copy, never on the loop. Asked by the hub; never writes to a connection.
"""

import asyncio
import zlib
from dataclasses import dataclass, field
from functools import partial

from server.deflate import level_for
from server.replica.replica import Replica
from server.wire import events
from server.wire.codec import Codec, Stream

BAND_BYTES = 256 * 1024
"""Raw bytes of a band: large enough to deflate as well as the whole, under 1 MiB in base64."""
REUSE_EVENTS = 4096
"""An encoded snapshot is given out until this many events (16 KB) have to follow it."""


@dataclass(frozen=True, slots=True)
class Band:
    """Some rows of a packed board, deflated (raw) unless that made them larger."""

    first_row: int
    rows: int
    payload: bytes
    deflated: bool


@dataclass(slots=True)
class Snapshot:
    """The board at one seq, ready to be told in any codec."""

    stream: Stream
    epoch: str
    seq: int
    generation: int
    width: int
    height: int
    size_bytes: int
    bands: list[Band]
    _frames: dict[Codec, bytes] = field(default_factory=dict)

    def frames(self, codec: Codec) -> bytes:
        """The `snapshot` event and all its bands, encoded once for each codec."""
        if codec not in self._frames:
            self._frames[codec] = b"".join(
                [self._head(), *(self._band(codec, band) for band in self.bands)]
            )
        return self._frames[codec]

    def _head(self) -> bytes:
        return events.snapshot(
            self.stream.game,
            self.epoch,
            self.seq,
            self.generation,
            width=self.width,
            height=self.height,
            size_bytes=self.size_bytes,
            bands=len(self.bands),
        )

    def _band(self, codec: Codec, band: Band) -> bytes:
        return codec.band(
            self.stream,
            self.generation,
            self.seq,
            band.first_row,
            band.rows,
            band.payload,
            deflated=band.deflated,
        )


class Snapshots:
    """Snapshots of one game."""

    def __init__(self, replica: Replica) -> None:
        self._replica = replica
        self._latest: Snapshot | None = None
        self._encoding: asyncio.Task[Snapshot] | None = None

    async def current(self) -> Snapshot:
        """Return a snapshot from which the ring leads to the present in few events."""
        while (latest := self._latest) is None or not self._usable(latest):
            if self._encoding is None:
                self._encoding = asyncio.create_task(self._encode())
            # A joiner that leaves must not take the encoding away from the others.
            await asyncio.shield(self._encoding)
        return latest

    def _usable(self, snapshot: Snapshot) -> bool:
        if snapshot.epoch != self._replica.epoch:
            return False
        behind = self._replica.seq - snapshot.seq
        return behind <= REUSE_EVENTS and snapshot.seq >= self._replica.ring.resumable_from

    async def _encode(self) -> Snapshot:
        try:
            self._latest = await asyncio.to_thread(self._prepare())
        finally:
            self._encoding = None
        return self._latest

    def _prepare(self) -> "partial[Snapshot]":
        replica = self._replica
        geometry = replica.lineage.geometry
        return partial(
            encode,
            replica.stream,
            replica.epoch,
            replica.seq,
            geometry.generation,
            geometry.width,
            geometry.height,
            replica.board.to_bytes(),
        )


def encode(
    stream: Stream,
    epoch: str,
    seq: int,
    generation: int,
    width: int,
    height: int,
    packed: bytes,
) -> Snapshot:
    """Cut a packed board (4 bits a pixel, rows not padded) into bands and deflate them."""
    level = level_for(len(packed))
    row_count = _rows_per_band(width, height)
    bands = [
        _band(packed, width, first_row, min(row_count, height - first_row), level)
        for first_row in range(0, height, row_count)
    ]
    return Snapshot(stream, epoch, seq, generation, width, height, len(packed), bands)


def _rows_per_band(width: int, height: int) -> int:
    # An even number of rows starts every band on a whole byte, also when the width is odd.
    rows = max(2, BAND_BYTES * 2 // width)
    return min(rows - rows % 2, height + height % 2)


def _band(packed: bytes, width: int, first_row: int, rows: int, level: int) -> Band:
    start = first_row * width // 2
    raw = packed[start : (first_row * width + rows * width + 1) // 2]
    compressor = zlib.compressobj(level, wbits=-zlib.MAX_WBITS)
    payload = compressor.compress(raw) + compressor.flush()
    if len(payload) < len(raw):
        return Band(first_row, rows, payload, deflated=True)
    return Band(first_row, rows, raw, deflated=False)
