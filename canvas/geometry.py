"""The frame of a board: its size, where it lies in the first board's frame, its generation.

Owns bounds and the cap on a side; never colours. Today's array position of a cell is its original
position plus the offset: `x = x_original + offset_x`. Used by everything that speaks of positions.
"""

from dataclasses import dataclass

from canvas.region import Region

MAX_SIDE = 8000
"""Longest side of a board: 13 bits of a record hold it, and its packed bytes stay at 32 MB."""


@dataclass(frozen=True, slots=True)
class Geometry:
    """Size in cells and global offset of a board in one generation.

    Raises ValueError for a side outside 1…`MAX_SIDE` and for a negative generation.
    """

    width: int
    height: int
    offset_x: int = 0
    offset_y: int = 0
    generation: int = 0

    def __post_init__(self) -> None:
        for side in (self.width, self.height):
            if not 1 <= side <= MAX_SIDE:
                raise ValueError(
                    f"a board of {self.width} x {self.height} is not possible;"
                    f" each side must be 1 to {MAX_SIDE}"
                )
        if self.generation < 0:
            raise ValueError(f"generation {self.generation} is negative; the first is 0")

    def as_tuple(self) -> tuple[int, int, int, int, int]:
        """Width, height, offset (x and y) and generation: taken apart at once, for a hot path."""
        return self.width, self.height, self.offset_x, self.offset_y, self.generation

    @property
    def cells(self) -> int:
        """How many cells the board has."""
        return self.width * self.height

    @property
    def whole(self) -> Region:
        """All of the board as a region."""
        return Region(0, 0, self.width - 1, self.height - 1)

    def contains(self, x: int, y: int) -> bool:
        """Whether the array position is on the board."""
        return 0 <= x < self.width and 0 <= y < self.height
