"""The replica: what has been published of one game (its tail).

Owns the board, settings, lineage, ring and seq that watchers see; built from numbered events alone
and never asks the game, so a process without the game can feed one from a stream. Applied to by
the hub's flush and by recovery, read by snapshots, checksums, HTTP and the hub.
"""

from array import array
from collections.abc import Iterator, Sequence
from itertools import groupby

import numpy as np

from canvas.board import Board
from canvas.events import BaseImported, Event, PixelPlaced, Resized, SettingsChanged
from canvas.growth import Growth, Lineage
from canvas.records import COLOR_SHIFT, Y_SHIFT
from canvas.settings import Settings
from server.replica.ring import PixelRun, Ring, Segment, span
from server.wire.codec import Stream


class Replica:
    """The published state of one game, at `seq` of `epoch`."""

    def __init__(
        self,
        stream: Stream,
        epoch: str,
        board: Board,
        lineage: Lineage,
        settings: Settings,
        ring: Ring,
    ) -> None:
        self.stream = stream
        self.epoch = epoch
        self.board = board
        self.lineage = lineage
        self.settings = settings
        self.ring = ring
        self.seq = ring.newest
        self.base_seq = 0
        """Seq of the last base picture that was laid here."""

    @property
    def generation(self) -> int:
        """Generation of the board."""
        return self.lineage.geometry.generation

    def crc32(self) -> int:
        """Return the zlib CRC-32 of the packed board."""
        return self.board.crc32()

    def apply(self, events: Sequence[Event]) -> list[Segment]:
        """Apply the events that follow `seq`, in order; returns them as the ring keeps them.

        Raises ValueError when they do not follow, and then nothing is changed.
        """
        if events and events[0].seq != self.seq + 1:
            raise ValueError(f"{self.stream.game} is at {self.seq}, got {events[0].seq}")
        segments = list(segments_of(events))
        for segment in segments:
            self.apply_segment(segment)
        return segments

    def apply_segment(self, segment: Segment) -> None:
        """Apply what follows `seq`; raises ValueError when it does not follow."""
        self.ring.append(segment)
        if isinstance(segment, PixelRun):
            self.board.apply_records(np.frombuffer(segment.records, dtype="<u4"))
        elif isinstance(segment, Resized):
            self._grow(segment)
        elif isinstance(segment, BaseImported):
            self._lay(segment)
        else:
            self.settings = self.settings.changed(segment.changes)
        self.seq = span(segment)[1]

    def pass_over(self, event: SettingsChanged) -> None:
        """Note a change that `settings` holds already, as all later ones; for recovery.

        Applied over them again, an old change may contradict a newer one.
        """
        self.ring.append(event)
        self.seq = event.seq

    def _lay(self, event: BaseImported) -> None:
        if event.laid is None:
            raise ValueError(f"the cells of {event.blob} were not read; seq {event.seq} needs them")
        self.board.lay(event.laid)
        self.base_seq = event.seq

    def _grow(self, event: Resized) -> None:
        growth = Growth.of(event)
        self.board = self.board.grown(growth, self.settings.palette.empty)
        self.lineage = self.lineage.append(growth)


def segments_of(events: Sequence[Event]) -> Iterator[Segment]:
    """Cut events into runs of pixels of one generation, and control events between them."""
    for generation, group in groupby(events, key=_generation_of_pixel):
        if generation is None:
            yield from group  # type: ignore[misc]  # the key is None for control events alone
        else:
            yield _run(generation, list(group))  # type: ignore[arg-type]  # pixels alone


def _generation_of_pixel(event: Event) -> int | None:
    return event.generation if type(event) is PixelPlaced else None


def _run(generation: int, pixels: list[PixelPlaced]) -> PixelRun:
    y_shift, color_shift = Y_SHIFT, COLOR_SHIFT  # a global costs a sixth of the loop
    records = array("I", [p.x | p.y << y_shift | p.color << color_shift for p in pixels])
    return PixelRun(pixels[0].seq, pixels[-1].seq, generation, records.tobytes())
