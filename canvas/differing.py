"""How much of a board looks different once cells are laid on it, also in another palette.

Pure; goes strip by strip, which bounds the memory. Called by the commands that show what they would
change: `tesserae canvas import` and `tesserae restore`.
"""

import numpy as np
from numpy.typing import NDArray

from canvas.base import STRIP_ROWS, UNTOUCHED
from canvas.board import Board
from canvas.packing import Cells, cut
from canvas.palette import Palette
from canvas.region import Region


def differing(
    board: Board, palette: Palette, cells: Cells, new: Palette, x: int = 0, y: int = 0
) -> int:
    """Count the cells that show another colour once `cells` lie at (x, y) in the palette `new`."""
    differs = _differs(palette, new)
    height, width = cells.shape
    count = 0
    for row in range(0, height, STRIP_ROWS):
        strip = cells[row : row + STRIP_ROWS]
        below = Region(x, y + row, x + width - 1, y + row + len(strip) - 1)
        before = cut(board.packed, board.width, below)
        count += int(np.count_nonzero(differs[before, strip]))
    return count


def _differs(old: Palette, new: Palette) -> NDArray[np.bool_]:
    """Say for each old and new number whether they show another colour; untouched ones do not."""
    differs = np.ones((UNTOUCHED + 1, UNTOUCHED + 1), bool)
    differs[:, UNTOUCHED] = False
    for before, rgb in enumerate(old.rgb):
        for after, other in enumerate(new.rgb):
            differs[before, after] = rgb != other
    return differs
