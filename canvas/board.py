"""The cells of one board, over one packed array.

Owns reading and writing cells, one by one or many at once. Knows no rules, seq or generation: the
replica applies to it what was numbered, the head reads it. One thread writes to a board; whoever
reads it on another takes `to_bytes` or a copy first.
"""

import zlib

import numpy as np

from canvas.base import LaidPicture
from canvas.geometry import Geometry
from canvas.growth import Growth
from canvas.packing import (
    Cells,
    cells_per_byte,
    check_padding,
    pack,
    packed_size,
    unpack,
)
from canvas.records import COLOR_SHIFT, SIDE_MASK, Y_SHIFT, Records, split

VECTOR_FROM = 100
"""From so many records on numpy is faster than a loop over a memoryview."""


class Board:
    """Width x height cells of `bits` each, at first all `empty`.

    Raises ValueError for an impossible side, and for an empty colour that does not fit in `bits`.
    """

    __slots__ = (
        "_byte_shift",
        "_bytes",
        "_highest",
        "_lane_mask",
        "_per_byte",
        "_shifts",
        "bits",
        "height",
        "packed",
        "width",
    )

    def __init__(self, width: int, height: int, empty: int = 15, bits: int = 4) -> None:
        highest = (1 << bits) - 1
        if not 0 <= empty <= highest:
            raise ValueError(f"empty color {empty} does not fit in {bits} bits; use 0-{highest}")
        Geometry(width, height)
        self.width = width
        self.height = height
        self.bits = bits
        self.packed = _blank(width * height, empty, bits)
        """The one array; its bytes are the canvas blob."""
        self._bytes = self.packed.data
        self._per_byte = cells_per_byte(bits)
        self._lane_mask = self._per_byte - 1
        self._byte_shift = self._per_byte.bit_length() - 1
        self._shifts = tuple(8 - bits * (lane + 1) for lane in range(self._per_byte))
        self._highest = highest

    @classmethod
    def from_packed(
        cls, width: int, height: int, data: bytes | bytearray | memoryview | Cells, bits: int = 4
    ) -> "Board":
        """Make a board of a copy of packed bytes. Raises ValueError on a wrong size or padding."""
        Geometry(width, height)
        packed = np.frombuffer(data, np.uint8)
        check_padding(packed, width * height, bits)
        board = cls(width, height, 0, bits)
        board.packed[:] = packed
        return board

    def get(self, x: int, y: int) -> int:
        """Color of a cell. Raises IndexError outside the board."""
        width = self.width
        if not (0 <= x < width and 0 <= y < self.height):
            raise IndexError(f"({x}, {y}) is outside the board of {width} x {self.height}")
        cell = y * width + x
        shift = self._shifts[cell & self._lane_mask]
        return self._bytes[cell >> self._byte_shift] >> shift & self._highest

    def set(self, x: int, y: int, color: int) -> None:
        """Write a cell. Raises IndexError outside the board, ValueError for too big a colour."""
        width = self.width
        if not (0 <= x < width and 0 <= y < self.height):
            raise IndexError(f"({x}, {y}) is outside the board of {width} x {self.height}")
        if not 0 <= color <= self._highest:
            raise ValueError(f"color {color} does not fit in {self.bits} bits")
        cell = y * width + x
        at = cell >> self._byte_shift
        shift = self._shifts[cell & self._lane_mask]
        self._bytes[at] = self._bytes[at] & ~(self._highest << shift) | color << shift

    def apply_records(self, records: Records) -> None:
        """Write records in order; the last write of a cell wins.

        Raises IndexError or ValueError for a record that does not fit: a fault of whoever numbered
        it, after which the board is not to be used.
        """
        if records.size < VECTOR_FROM:
            for value in records.tolist():
                self.set(value & SIDE_MASK, value >> Y_SHIFT & SIDE_MASK, value >> COLOR_SHIFT)
        else:
            self._apply_many(records)

    def _apply_many(self, records: Records) -> None:
        columns = split(records)
        if columns.x.max() >= self.width or columns.y.max() >= self.height:
            raise IndexError(f"a record lies outside the board of {self.width} x {self.height}")
        if columns.color.max() > self._highest:
            raise ValueError(f"a record's color does not fit in {self.bits} bits")
        cells = columns.y * np.uint32(self.width) + columns.x
        colors = columns.color.astype(np.uint8)
        lanes = cells % np.uint32(self._per_byte)
        # One lane at a time: within it each byte has one cell, so that writing all of its values
        # at once never loses a neighbour, and of repeated indices numpy keeps the last.
        for lane, shift in enumerate(self._shifts):
            chosen = lanes == lane
            at = cells[chosen] // np.uint32(self._per_byte)
            kept = self.packed[at] & np.uint8(~(self._highest << shift) & 0xFF)
            self.packed[at] = kept | colors[chosen] << np.uint8(shift)

    def lay(self, picture: LaidPicture) -> None:
        """Lay a picture over the cells. Raises ValueError when it was laid out for another size."""
        frame = picture.frame
        if (frame.width, frame.height) != (self.width, self.height):
            raise ValueError(
                f"a picture for {frame.width} x {frame.height} cannot be laid on a board of"
                f" {self.width} x {self.height}"
            )
        end_byte = picture.first_byte + picture.values.size
        part = self.packed[picture.first_byte : end_byte]
        np.bitwise_and(part, picture.kept, out=part)
        np.bitwise_or(part, picture.values, out=part)

    def is_blank(self, empty: int) -> bool:
        """Whether every cell has the colour of fresh ones."""
        return np.array_equal(self.packed, _blank(self.width * self.height, empty, self.bits))

    def to_bytes(self) -> bytes:
        """Copy the packed bytes."""
        return self.packed.tobytes()

    def crc32(self) -> int:
        """CRC-32 (zlib's) of the packed bytes."""
        return zlib.crc32(self._bytes)

    def band(self, first_row: int, rows: int) -> bytes:
        """Packed bytes of some rows. Raises ValueError unless they begin and end on whole bytes.

        The last row may end within a byte: its band then ends with the board's padding.
        """
        end_row = first_row + rows
        if not 0 <= first_row < end_row <= self.height:
            raise ValueError(f"rows {first_row} to {end_row - 1} are not on the board")
        at, first_lane = divmod(first_row * self.width, self._per_byte)
        end, end_lane = divmod(end_row * self.width, self._per_byte)
        if first_lane or (end_lane and end_row != self.height):
            raise ValueError("a band must begin and end on a whole byte; use even numbers of rows")
        return self.packed[at : end + (end_lane > 0)].tobytes()

    def colors(self) -> Cells:
        """Color of every cell, as an array of shape (height, width)."""
        cells = unpack(self.packed, self.width * self.height, self.bits)
        return cells.reshape(self.height, self.width)

    def grown(self, growth: Growth, empty: int) -> "Board":
        """Make the bigger board: the old cells shifted, the fresh ones `empty`."""
        per_byte = self._per_byte
        board = Board(growth.width, growth.height, empty, self.bits)
        if self.width % per_byte or growth.width % per_byte or growth.shift_x % per_byte:
            cells = board.colors()
            _lay(cells, growth.shift_x, growth.shift_y, self.colors())
            board.packed[:] = pack(cells.ravel(), self.bits)
        else:
            # Rows of whole bytes need no unpacking: 8000 x 8000 in milliseconds.
            row_bytes = board.packed.reshape(growth.height, growth.width // per_byte)
            old = self.packed.reshape(self.height, self.width // per_byte)
            _lay(row_bytes, growth.shift_x // per_byte, growth.shift_y, old)
        return board


def _lay(whole: Cells, shift_x: int, shift_y: int, part: Cells) -> None:
    height, width = part.shape
    whole[shift_y : shift_y + height, shift_x : shift_x + width] = part


def _blank(cells: int, empty: int, bits: int) -> Cells:
    packed = pack(np.full(cells_per_byte(bits), empty, np.uint8), bits)
    blank = np.full(packed_size(cells, bits), packed[0], np.uint8)
    spare_bits = blank.size * 8 - cells * bits
    blank[-1] |= (1 << spare_bits) - 1
    return blank
