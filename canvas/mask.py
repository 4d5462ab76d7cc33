"""Where placing is allowed: one bit a cell.

Owns the bits and how they grow with the board: fresh ground is open. A game without a mask has none
of this. Read by the rules.
"""

from canvas.board import Board
from canvas.growth import Growth
from canvas.packing import Cells, pack

OPEN = 1


class Mask:
    """Cells that are 1 may be placed on. Raises ValueError unless they have one bit each."""

    __slots__ = ("_cells",)

    def __init__(self, cells: Board) -> None:
        if cells.bits != 1:
            raise ValueError(f"a mask has 1 bit a cell, not {cells.bits}; pack it with bits=1")
        self._cells = cells

    @classmethod
    def of(cls, allowed: Cells) -> "Mask":
        """Make a mask of an array of 0 and 1 of shape (height, width)."""
        height, width = allowed.shape
        return cls(Board.from_packed(width, height, pack(allowed.ravel(), 1), 1))

    def allows(self, x: int, y: int) -> bool:
        """Whether the cell may be placed on."""
        return self._cells.get(x, y) == OPEN

    def grown(self, growth: Growth) -> "Mask":
        """Make the mask of the bigger board."""
        return Mask(self._cells.grown(growth, OPEN))
