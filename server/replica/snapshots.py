"""Snapshots for joiners: the packed board in bands, encoded once for any number of readers.

Owns the one encoding in flight of each game, and what of the one before is still true. Deflating is
done in a thread from copies, never on the loop; frames are made when the first reader gets to them.
Asked by the hub; never writes to a connection.
"""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import partial

from server.replica.bands import Band, RawBand, copy_bands, deflate, untouched
from server.replica.replica import Replica
from server.replica.turnstile import Turnstile
from server.telemetry.traffic import Traffic
from server.wire import events
from server.wire.codec import Codec, Stream

REUSE_EVENTS = 4096
"""An encoded snapshot is given out until this many events (16 KB) have to follow it."""


@dataclass(slots=True)
class Snapshot:
    """The board at one seq, ready to be told in any codec: its head, then its bands."""

    stream: Stream
    epoch: str
    seq: int
    generation: int
    width: int
    height: int
    size_bytes: int
    bands: Sequence[Band]
    _frames: dict[Codec, list[bytes]] = field(default_factory=dict)

    def frame(self, codec: Codec, index: int) -> bytes | None:
        """The `snapshot` event for 0, then band after band; None past the last one.

        Each is made once for each codec, and not before it is needed: encoding all of a large
        board at once would hold the loop. Asked for in order.
        """
        made = self._frames.setdefault(codec, [])
        if index == len(made) and index <= len(self.bands):
            made.append(self._band(codec, self.bands[index - 1]) if index else self._head())
        return made[index] if index < len(made) else None

    def payload_bytes(self, index: int) -> int:
        """Bytes of the bands from the frame `index` on."""
        return sum(len(band.payload) for band in self.bands[max(0, index - 1) :])

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

    def __init__(self, replica: Replica, traffic: Traffic) -> None:
        self._replica = replica
        self._traffic = traffic
        self._latest: Snapshot | None = None
        self._encoding: asyncio.Task[Snapshot] | None = None
        self._turnstile = Turnstile()

    async def current(self) -> Snapshot:
        """Return a snapshot from which the ring leads to the present in few events."""
        while (latest := self._latest) is None or not self._usable(latest):
            if self._encoding is None:
                self._encoding = asyncio.create_task(self._encode())
            # A joiner that leaves must not take the encoding away from the others.
            await asyncio.shield(self._encoding)
            await self._turnstile.go_through()
        return latest

    def _usable(self, snapshot: Snapshot) -> bool:
        if snapshot.epoch != self._replica.epoch:
            return False
        behind = self._replica.seq - snapshot.seq
        return behind <= REUSE_EVENTS and snapshot.seq >= self._replica.ring.resumable_from

    async def _encode(self) -> Snapshot:
        try:
            self._latest = await asyncio.to_thread(self._prepare())
            self._traffic.snapshots_encoded += 1
        finally:
            self._encoding = None
        return self._latest

    def _prepare(self) -> "partial[Snapshot]":
        replica = self._replica
        bands = copy_bands(replica.board, self._still_true())
        return partial(
            encode,
            replica.stream,
            replica.epoch,
            replica.seq,
            replica.generation,
            replica.board.width,
            replica.board.height,
            replica.board.packed.nbytes,
            bands,
        )

    def _still_true(self) -> list[Band]:
        latest = self._latest
        if latest is None or latest.epoch != self._replica.epoch:
            return []
        since = self._replica.ring.after(latest.seq)
        return [] if since is None else untouched(latest.bands, since)


def encode(
    stream: Stream,
    epoch: str,
    seq: int,
    generation: int,
    width: int,
    height: int,
    size_bytes: int,
    bands: Sequence[Band | RawBand],
) -> Snapshot:
    """Deflate what is not deflated yet of a board of 4 bits a pixel, rows not padded."""
    done = [band if isinstance(band, Band) else deflate(band, size_bytes) for band in bands]
    return Snapshot(stream, epoch, seq, generation, width, height, size_bytes, done)
