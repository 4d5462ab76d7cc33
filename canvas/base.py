"""Base pictures: cells that an import lays over a board at one stroke.

Owns the value of a picture in its place on a board of one frame: its cells, and the same packed as
the board has them, so that laying it costs two passes over bytes. Making one takes a while for a
large picture and may be done on any thread. Knows no seq, no store and no files.
"""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from canvas.geometry import Geometry
from canvas.packing import Cells, cells_per_byte, pack, packed_size
from canvas.palette import Palette

UNTOUCHED = 255
"""In a picture's cells: the board keeps what it has there."""
STRIP_ROWS = 256
"""Rows packed at a time, which bounds what is needed beside the result."""


@dataclass(frozen=True, slots=True, eq=False)
class LaidPicture:
    """A picture at (x, y) of a board whose frame is `frame`."""

    x: int
    y: int
    frame: Geometry
    cells: Cells
    """Colours of shape (height, width), `UNTOUCHED` where the board keeps its own."""
    colors: frozenset[int]
    """The colours that it has."""
    first_byte: int
    """Where in the packed board `values` and `kept` begin; they hold whole rows."""
    values: Cells
    """The packed colours, zero where the board keeps its own."""
    kept: Cells
    """Ones for the bits that the board keeps."""

    @classmethod
    def of(cls, cells: Cells, x: int, y: int, frame: Geometry, bits: int = 4) -> "LaidPicture":
        """Lay a picture out. Raises ValueError when it does not lie within the frame.

        A colour that does not fit in `bits` is a ValueError too.
        """
        check_place(cells.shape[1], cells.shape[0], x, y, frame)
        per_byte = cells_per_byte(bits)
        # Rows are not padded: from one that begins on a whole byte to one that ends on one.
        first_row = y - y % per_byte
        end_row = min(frame.height, y + cells.shape[0] + -(y + cells.shape[0]) % per_byte)
        strips = [
            (pack(np.where(strip == UNTOUCHED, 0, strip), bits), _kept(strip, bits))
            for strip in _strips(cells, x, y, frame.width, first_row, end_row)
        ]
        return cls(
            x=x,
            y=y,
            frame=frame,
            cells=cells,
            colors=colors_of(cells),
            first_byte=packed_size(first_row * frame.width, bits),
            values=np.concatenate([values for values, _ in strips]),
            kept=np.concatenate([kept for _, kept in strips]),
        )

    def check(self, frame: Geometry, palette: Palette) -> None:
        """Raise ValueError unless it can be laid on a board as that now is."""
        if self.frame != frame:
            raise ValueError("the board has grown since the picture was laid out; do it anew")
        missing = sorted(self.colors - palette.usable)
        if missing:
            raise ValueError(
                f"the picture has color {missing[0]}, which the palette does not have;"
                f" use {palette.hint}"
            )

    def color_at(self, x_original: int, y_original: int) -> int | None:
        """Colour at an original position; None where the board keeps its own."""
        x = x_original + self.frame.offset_x - self.x
        y = y_original + self.frame.offset_y - self.y
        height, width = self.cells.shape
        if not (0 <= x < width and 0 <= y < height):
            return None
        color = int(self.cells[y, x])
        return None if color == UNTOUCHED else color


def covers(cells: Cells, frame: Geometry) -> bool:
    """Whether a picture leaves nothing of a board as it is."""
    whole = cells.shape == (frame.height, frame.width)
    return whole and not bool((cells == UNTOUCHED).any())


def colors_of(cells: Cells) -> frozenset[int]:
    """Return the colours that cells have; untouched ones have none."""
    seen = np.zeros(UNTOUCHED + 1, bool)
    for row in range(0, len(cells), STRIP_ROWS):
        seen[cells[row : row + STRIP_ROWS]] = True
    return frozenset(np.flatnonzero(seen[:UNTOUCHED]).tolist())


def framed(cells: Cells, then: Geometry, frame: Geometry, empty: int) -> Cells:
    """Return an earlier board's cells in a later frame of it; what was not there yet is `empty`."""
    whole = np.full((frame.height, frame.width), empty, np.uint8)
    x, y = frame.offset_x - then.offset_x, frame.offset_y - then.offset_y
    whole[y : y + then.height, x : x + then.width] = cells
    return whole


def check_taken(cells: Cells) -> None:
    """Raise ValueError, telling the remedy, when a picture leaves all of a board as it is."""
    strips = (cells[row : row + STRIP_ROWS] for row in range(0, len(cells), STRIP_ROWS))
    if all(bool((strip == UNTOUCHED).all()) for strip in strips):
        raise ValueError("no cell is taken: all are transparent or masked; give one with colors")


def check_place(width: int, height: int, x: int, y: int, frame: Geometry) -> None:
    """Raise ValueError, telling the remedy, unless a picture lies within a board."""
    if not (width > 0 and height > 0):
        raise ValueError(f"a picture of {width} x {height} has no cells; give one of 1 x 1 or more")
    if x >= 0 and y >= 0 and x + width <= frame.width and y + height <= frame.height:
        return
    room_x, room_y = frame.width - width, frame.height - height
    remedy = (
        f"place it at x 0-{room_x} and y 0-{room_y}"
        if room_x >= 0 and room_y >= 0
        else "cut it or make it smaller, or let the board grow first"
    )
    raise ValueError(
        f"the picture of {width} x {height} at ({x}, {y}) does not lie within the board of"
        f" {frame.width} x {frame.height}; {remedy}"
    )


def _strips(
    cells: Cells, x: int, y: int, board_width: int, first_row: int, end_row: int
) -> Iterator[Cells]:
    """Yield flat strips of whole board rows, untouched around the picture."""
    height, width = cells.shape
    for row in range(first_row, end_row, STRIP_ROWS):
        strip_end = min(row + STRIP_ROWS, end_row)
        strip = np.full((strip_end - row, board_width), UNTOUCHED, np.uint8)
        top, bottom = max(row, y), min(strip_end, y + height)
        strip[top - row : bottom - row, x : x + width] = cells[top - y : bottom - y]
        yield strip.ravel()


def _kept(strip: Cells, bits: int) -> Cells:
    return pack(np.where(strip == UNTOUCHED, (1 << bits) - 1, 0).astype(np.uint8), bits)
