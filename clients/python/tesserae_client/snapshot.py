"""A snapshot being put together: its head, then bands until every row is there; pure.

Owns the partial bytes of one snapshot and checks that the bands fit it; never the board that is
shown meanwhile. Called by sync.
"""

import zlib
from dataclasses import dataclass

from tesserae_client.board import packed_size
from tesserae_client.errors import BadFrame
from tesserae_client.messages import Json, side, strict
from tesserae_client.wire import BandFrame


@dataclass(frozen=True, slots=True)
class SnapshotHead:
    """What the event `snapshot` tells; `bands` follow, or it is fetched from `url`."""

    epoch: str
    seq: int
    generation: int
    width: int
    height: int
    bands: int
    url: str | None

    @classmethod
    @strict
    def from_json(cls, event: Json) -> "SnapshotHead":
        """Read the event `snapshot`."""
        return cls(
            epoch=str(event["epoch"]),
            seq=int(event["seq"]),
            generation=int(event["generation"]),
            width=side(event["width"]),
            height=side(event["height"]),
            bands=int(event.get("bands", 0)),
            url=event.get("url"),
        )


class Assembly:
    """Collects the bands of one snapshot."""

    def __init__(self, head: SnapshotHead) -> None:
        self.head = head
        self.packed = bytearray(packed_size(head.width * head.height))
        self._missing = set(range(head.height))

    @property
    def complete(self) -> bool:
        """Every row is there."""
        return not self._missing

    def add(self, band: BandFrame) -> None:
        """Take one band; raises BadFrame when it does not belong."""
        head = self.head
        last_row = band.first_row + band.rows
        rows = range(band.first_row, min(last_row, head.height))
        if (band.seq, band.generation) != (head.seq, head.generation):
            raise BadFrame(f"a band of seq {band.seq} inside the snapshot of seq {head.seq}")
        if not band.rows or last_row > head.height or not self._missing.issuperset(rows):
            raise BadFrame(f"a band of the rows {band.first_row} to {last_row}")
        first_cell = band.first_row * head.width
        size = packed_size(band.rows * head.width)
        if first_cell % 2:
            raise BadFrame(f"a band that starts inside a byte, at row {band.first_row}")
        payload = inflate(band.payload, size) if band.deflated else band.payload
        if len(payload) != size:
            raise BadFrame(f"a band of {len(payload)} bytes instead of {size}")
        self.packed[first_cell // 2 : first_cell // 2 + size] = payload
        self._missing.difference_update(rows)


def inflate(payload: bytes | bytearray, size: int) -> bytes:
    """Decompress raw deflate, never past `size` bytes; raises BadFrame for anything else."""
    inflator = zlib.decompressobj(-zlib.MAX_WBITS)
    try:
        data = inflator.decompress(payload, size + 1)
    except zlib.error as fault:
        raise BadFrame(f"a band that does not decompress: {fault}") from fault
    if not inflator.eof:
        raise BadFrame(f"a deflated band that does not end after {size} bytes")
    return data
