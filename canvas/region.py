"""A rectangle of cells, all four sides included.

Owns the checks of its corners; knows no board. Used by crops, and by whoever asks for a part.
"""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Region:
    """Array positions x1…x2, y1…y2. Raises ValueError when empty or negative."""

    x1: int
    y1: int
    x2: int
    y2: int

    def __post_init__(self) -> None:
        if not (0 <= self.x1 <= self.x2 and 0 <= self.y1 <= self.y2):
            raise ValueError(
                f"({self.x1}, {self.y1}) to ({self.x2}, {self.y2}) is no region;"
                " give 0 <= x1 <= x2 and 0 <= y1 <= y2, both ends included"
            )

    @property
    def width(self) -> int:
        """Cells in a row."""
        return self.x2 - self.x1 + 1

    @property
    def height(self) -> int:
        """Rows."""
        return self.y2 - self.y1 + 1
