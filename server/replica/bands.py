"""Bands: a packed board cut into rows that are deflated by themselves, and which of them changed.

Owns the size of a band and the choice between deflated and raw. Pure: the copies are taken where
the board is written to, the deflating is done in a thread. Called by snapshots.py.
"""

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from canvas.board import Board
from canvas.events import SettingsChanged
from canvas.records import SIDE_MASK, Y_SHIFT
from server.deflate import RAW
from server.deflate import deflate as deflated
from server.replica.ring import PixelRun, Segment

BAND_BYTES = 256 * 1024
"""Raw bytes of a band: large enough to deflate as well as the whole, under 1 MiB in base64."""


@dataclass(frozen=True, slots=True)
class Band:
    """Some rows of a packed board, deflated (raw) unless that made them larger."""

    first_row: int
    rows: int
    payload: bytes
    deflated: bool


@dataclass(frozen=True, slots=True)
class RawBand:
    """A copy of the packed bytes of some rows."""

    first_row: int
    rows: int
    packed: bytes


def copy_bands(board: Board, kept: Iterable[Band]) -> list[Band | RawBand]:
    """Take every band of a board: as it was deflated before where it is kept, else as a copy."""
    known = {band.first_row: band for band in kept}
    step = rows_per_band(board.width, board.height)
    return [
        known.get(row) or _copy(board, row, min(step, board.height - row))
        for row in range(0, board.height, step)
    ]


def _copy(board: Board, first_row: int, rows: int) -> RawBand:
    return RawBand(first_row, rows, board.band(first_row, rows))


def rows_per_band(width: int, height: int) -> int:
    """Tell how many rows a band has: the last one of a board may have fewer."""
    # An even number of rows starts every band on a whole byte, also when the width is odd.
    rows = max(2, BAND_BYTES * 2 // width)
    return min(rows - rows % 2, height + height % 2)


def deflate(band: RawBand, board_bytes: int) -> Band:
    """Deflate a band of a board by itself, unless that makes it larger."""
    payload = deflated(band.packed, RAW, board_bytes)
    if len(payload) < len(band.packed):
        return Band(band.first_row, band.rows, payload, deflated=True)
    return Band(band.first_row, band.rows, band.packed, deflated=False)


def untouched(bands: Iterable[Band], since: Iterable[Segment]) -> list[Band]:
    """Return the bands that are still true after what followed them; none after a new picture."""
    rows: list[np.ndarray] = [np.empty(0, np.uint32)]
    for segment in since:
        if isinstance(segment, PixelRun):
            records = np.frombuffer(segment.records, "<u4")
            rows.append(np.unique(records >> np.uint32(Y_SHIFT) & np.uint32(SIDE_MASK)))
        elif not isinstance(segment, SettingsChanged):
            return []
    touched = np.unique(np.concatenate(rows))
    return [band for band in bands if not _any_between(touched, band.first_row, band.rows)]


def _any_between(ascending: np.ndarray, first_row: int, rows: int) -> bool:
    start, end = np.searchsorted(ascending, (first_row, first_row + rows))
    return bool(start < end)
