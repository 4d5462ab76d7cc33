"""The client's picture of a board: one numpy byte for each cell.

Owns the cells and their packed form (4 bits each, high nibble first, rows not padded), which is
what the server's checksum speaks of. Knows nothing of seq or sockets; called by sync.
"""

from zlib import crc32

import numpy as np
from numpy.typing import NDArray

from tesserae_client.records import CELL_MASK, COLOR_SHIFT, SIDE_MASK, Y_SHIFT, Records, parts

_SCALAR_BELOW = 24  # a loop over fewer records beats numpy's fixed cost of about 6 µs
_PAD = 0xF  # the unused last nibble of an odd number of cells


class Board:
    """`colors` is a uint8 array [height, width] of palette indexes; read it freely."""

    def __init__(self, width: int, height: int, empty: int = 15) -> None:
        self.colors: NDArray[np.uint8] = np.full((height, width), empty, dtype=np.uint8)

    @classmethod
    def from_packed(cls, width: int, height: int, packed: bytes | bytearray) -> "Board":
        """Unpack a snapshot; raises ValueError when the size is wrong."""
        if len(packed) != packed_size(width * height):
            raise ValueError(f"{len(packed)} bytes for a board of {width} x {height}")
        data = np.frombuffer(packed, dtype=np.uint8)
        cells = np.empty(data.size * 2, dtype=np.uint8)
        cells[0::2] = data >> 4
        cells[1::2] = data & 0xF
        board = cls.__new__(cls)
        board.colors = cells[: width * height].reshape(height, width)
        return board

    @property
    def width(self) -> int:
        """Cells in a row."""
        return int(self.colors.shape[1])

    @property
    def height(self) -> int:
        """Number of rows."""
        return int(self.colors.shape[0])

    def __getitem__(self, cell: tuple[int, int]) -> int:
        """Read the colour at (x, y); raises IndexError outside the board."""
        x, y = cell
        if not (0 <= x < self.width and 0 <= y < self.height):
            raise IndexError(f"({x}, {y}) is outside {self.width} x {self.height}")
        return int(self.colors[y, x])

    def apply(self, records: Records, *, distinct: bool = False) -> None:
        """Set the cells of records in order, so that the last write of a cell wins.

        `distinct` says that no cell comes twice. Raises IndexError for a cell outside, and then
        may have set some of the others.
        """
        if len(records) < _SCALAR_BELOW:
            self._apply_each(records)
            return
        if not distinct:
            records = newest(records)
        rows, columns = records >> Y_SHIFT & SIDE_MASK, records & SIDE_MASK
        self.colors[rows, columns] = records >> COLOR_SHIFT

    def _apply_each(self, records: Records) -> None:
        colors = self.colors
        for packed in records.tolist():
            x, y, color = parts(packed)
            colors[y, x] = color

    def fill(self, x1: int, y1: int, x2: int, y2: int, color: int) -> None:
        """Set a rectangle, both corners included; raises ValueError when one is outside."""
        if not (0 <= x1 <= x2 < self.width and 0 <= y1 <= y2 < self.height):
            raise ValueError(f"{x1},{y1} to {x2},{y2} is outside {self.width} x {self.height}")
        self.colors[y1 : y2 + 1, x1 : x2 + 1] = color

    def resize(self, width: int, height: int, shift_x: int, shift_y: int, empty: int) -> None:
        """Grow: what was at (x, y) is now at (x + shift_x, y + shift_y), the rest is empty."""
        if width < self.width + shift_x or height < self.height + shift_y:
            raise ValueError(f"{self.width} x {self.height} does not fit {width} x {height}")
        grown = np.full((height, width), empty, dtype=np.uint8)
        rows, columns = slice(shift_y, shift_y + self.height), slice(shift_x, shift_x + self.width)
        grown[rows, columns] = self.colors
        self.colors = grown

    def packed(self) -> bytes:
        """Pack the board as the server stores it."""
        cells = self.colors.ravel()
        if cells.size % 2:
            cells = np.append(cells, np.uint8(_PAD))
        return (cells[0::2] << 4 | cells[1::2]).tobytes()

    def crc32(self) -> int:
        """Compute the checksum that the server's `checksum` command speaks of."""
        return crc32(self.packed())


def newest(records: Records) -> Records:
    """Keep only the last record of each cell (numpy promises no order for repeated indexes)."""
    backwards = records[::-1]
    _, keep = np.unique(backwards & CELL_MASK, return_index=True)
    return backwards[keep]


def packed_size(cells: int) -> int:
    """Bytes of the packed form."""
    return (cells + 1) // 2
