"""The protocol's record: one cell and its colour in 32 bits.

Owns the bit layout (x 0-12, y 13-25, color 26-31), one at a time and vectorised. Never checks
bounds: a record says nothing of the board that it is meant for.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

Records = NDArray[np.uint32]

Y_SHIFT = 13
COLOR_SHIFT = 26
SIDE_MASK = (1 << 13) - 1
_Y_SHIFT, _COLOR_SHIFT, _SIDE_MASK = (np.uint32(n) for n in (Y_SHIFT, COLOR_SHIFT, SIDE_MASK))


def record(x: int, y: int, color: int) -> int:
    """Join a position (each below 8192) and a colour (below 64) into one record."""
    return x | y << Y_SHIFT | color << COLOR_SHIFT


def cell_of(value: int) -> tuple[int, int, int]:
    """Split one record into x, y and colour."""
    return value & SIDE_MASK, value >> Y_SHIFT & SIDE_MASK, value >> COLOR_SHIFT


class Columns(NamedTuple):
    """Records split into three arrays of the same length."""

    x: NDArray[np.uint32]
    y: NDArray[np.uint32]
    color: NDArray[np.uint32]


def split(records: Records) -> Columns:
    """Split records into their columns."""
    return Columns(records & _SIDE_MASK, records >> _Y_SHIFT & _SIDE_MASK, records >> _COLOR_SHIFT)
