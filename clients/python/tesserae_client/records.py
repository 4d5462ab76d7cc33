"""Records: one coloured cell in a u32; x bits 0-12, y bits 13-25, color bits 26-31.

Owns that layout, for one record and for arrays of them. Called by the wire and the board.
"""

from collections.abc import Iterable, Sequence

import numpy as np
from numpy.typing import NDArray

Records = NDArray[np.uint32]

SIDE_LIMIT = 8192
"""Coordinates have 13 bits."""
COLOR_LIMIT = 64
IMPOSSIBLE = (SIDE_LIMIT - 1) | (SIDE_LIMIT - 1) << 13
"""A record outside every board (sides end at 8000): it can only be refused."""


def record(x: int, y: int, color: int) -> int:
    """Pack one cell; raises ValueError for what no record can hold."""
    if not (0 <= x < SIDE_LIMIT and 0 <= y < SIDE_LIMIT and 0 <= color < COLOR_LIMIT):
        raise ValueError(
            f"({x}, {y}) in colour {color} fits no record: "
            f"coordinates end at {SIDE_LIMIT - 1}, colours at {COLOR_LIMIT - 1}"
        )
    return x | y << 13 | color << 26


def parts(packed: int) -> tuple[int, int, int]:
    """Split one record into (x, y, color)."""
    return packed & 0x1FFF, packed >> 13 & 0x1FFF, packed >> 26


def from_triples(triples: Sequence[Sequence[int]]) -> Records:
    """Pack JSON's [[x, y, color] …]; raises ValueError or TypeError for anything else."""
    return np.array([record(*triple) for triple in triples], dtype=np.uint32)


def to_triples(records: Records) -> Iterable[tuple[int, int, int]]:
    """Split records into (x, y, color) each, in order."""
    return map(parts, records.tolist())
