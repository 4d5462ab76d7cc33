"""Merging: of the pixels between two seqs only the newest of each cell.

Owns the content of a frame of pixels and which records of a run still show at its end. Pure. Called
by ring.py, which keeps what is merged once, and by catch_up.py.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from canvas.records import COLOR_SHIFT

CELL_MASK = (1 << COLOR_SHIFT) - 1
"""What of a record says where it is."""
INDEX_BITS = 32


class Frame(NamedTuple):
    """The content of one pixels frame, whatever the codec."""

    first: int
    last: int
    generation: int
    records: bytes
    conflated: bool


def newest_flags(records: NDArray[np.uint32]) -> NDArray[np.bool_]:
    """Tell of each record whether none after it has its cell; shape (n,).

    What holds of all of a run holds of its end as well, wherever a reader begins.
    """
    flags = np.zeros(len(records), np.bool_)
    if len(records):
        # Cell and index in one number: a plain sort is four times as fast as np.unique's by index.
        keys = (records & np.uint32(CELL_MASK)).astype(np.uint64) << np.uint64(INDEX_BITS)
        keys |= np.arange(len(records), dtype=np.uint64)
        keys.sort()
        cells = keys >> np.uint64(INDEX_BITS)
        is_last = np.append(cells[1:] != cells[:-1], [True])
        flags[keys[is_last].astype(np.uint32)] = True
    return flags


def newest_of_each_cell(records: NDArray[np.uint32]) -> NDArray[np.uint32]:
    """Keep the last record of each cell, in the order of their last writes; shape (m,), m <= n."""
    return records[newest_flags(records)]
