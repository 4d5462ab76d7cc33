"""Records: one coloured cell in a u32; x bits 0-12, y bits 13-25, color bits 26-31.

Owns that layout, for one record and for arrays of them. Called by the wire and the board.
"""

from collections.abc import Iterable, Sequence

import numpy as np
from numpy.typing import NDArray

Records = NDArray[np.uint32]

Y_SHIFT, COLOR_SHIFT = 13, 26
SIDE_LIMIT = 1 << Y_SHIFT
COLOR_LIMIT = 1 << 32 - COLOR_SHIFT
SIDE_MASK = SIDE_LIMIT - 1
CELL_MASK = (1 << COLOR_SHIFT) - 1
"""What of a record says where it is."""
IMPOSSIBLE = CELL_MASK
"""A record outside every board (sides end at 8000): it can only be refused."""


def record(x: int, y: int, color: int) -> int:
    """Pack one cell; raises ValueError for what no record can hold."""
    if not (0 <= x < SIDE_LIMIT and 0 <= y < SIDE_LIMIT and 0 <= color < COLOR_LIMIT):
        raise ValueError(
            f"({x}, {y}) in colour {color} fits no record: "
            f"coordinates end at {SIDE_LIMIT - 1}, colours at {COLOR_LIMIT - 1}"
        )
    return x | y << Y_SHIFT | color << COLOR_SHIFT


def parts(packed: int) -> tuple[int, int, int]:
    """Split one record into (x, y, color)."""
    return packed & SIDE_MASK, packed >> Y_SHIFT & SIDE_MASK, packed >> COLOR_SHIFT


def from_triples(triples: Sequence[Sequence[int]]) -> Records:
    """Pack JSON's [[x, y, color] …]; raises ValueError or TypeError for anything else."""
    return np.array([record(*triple) for triple in triples], dtype=np.uint32)


def to_triples(records: Records) -> Iterable[tuple[int, int, int]]:
    """Split records into (x, y, color) each, in order."""
    return map(parts, records.tolist())
