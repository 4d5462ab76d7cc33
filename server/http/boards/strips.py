"""Strips: the rows of a board that a part of it lies in.

Owns that a request for a few cells copies a few rows: of the largest board, a whole copy holds the
loop for milliseconds. Pure. Called by the routes of canvas.bin and canvas.png.
"""

from typing import NamedTuple

import numpy as np

from canvas.board import Board
from canvas.packing import Cells
from canvas.region import Region


class Strip(NamedTuple):
    """Packed rows, copied, and where in them the part lies."""

    packed: bytes | memoryview
    width: int
    region: Region

    @property
    def cells(self) -> Cells:
        """The packed bytes as an array."""
        return np.frombuffer(self.packed, np.uint8)


def _span(board: Board, region: Region) -> tuple[int, int]:
    """First row and end of a strip: even rows begin on whole bytes, whatever the width."""
    end = region.y2 + 1
    return region.y1 - region.y1 % 2, min(board.height, end + end % 2)


def strip_bytes(board: Board, region: Region) -> int:
    """How much `strip_of` would copy, at most."""
    top, end = _span(board, region)
    return (end - top) * board.width // 2 + 1


def strip_of(board: Board, region: Region) -> Strip:
    """Copy the rows of a region of the board."""
    top, end = _span(board, region)
    moved = Region(region.x1, region.y1 - top, region.x2, region.y2 - top)
    return Strip(board.band(top, end - top), board.width, moved)
