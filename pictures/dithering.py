"""Dithering: what a pixel's colour missed is passed on, so that areas look right from afar.

Owns Floyd and Steinberg's error diffusion (An Adaptive Algorithm for Spatial Greyscale, 1976), in
OKLab: its mean is near to that of sRGB, by which browsers make pictures smaller. A pixel with a
colour of the palette keeps it and passes nothing on, so drawings stay clean; nor does a transparent
one. Called by matching.
"""

import numpy as np
from numpy.typing import NDArray

from pictures import oklab
from pictures.bands import part
from pictures.choice import UNTOUCHED, Choice, keys_of, opaque
from pictures.picture import Picture, Pixels, Progress

CELLS_AT_ONCE = 1 << 22
TELL_EVERY = 256


def dithered(picture: Picture, choice: Choice, progress: Progress) -> Pixels:
    """Give cells of shape (height, width), UNTOUCHED where the picture is transparent."""
    width, height = picture.width, picture.height
    cells = np.empty((height, width), np.uint8)
    passed_on = np.zeros((3, width + 2))
    step = max(1, CELLS_AT_ONCE // width)
    for top in range(0, height, step):
        end = min(top + step, height)
        band = _Band(picture.rgba[top:end], choice, passed_on)
        band.run(part(progress, top / height, end / height))
        cells[top:end], passed_on = band.cells, band.passed_on
    return cells


def _reach(palette_lab: oklab.Floats) -> tuple[oklab.Floats, oklab.Floats]:
    """Give the lowest and the highest that is wanted, of shape (3, 1).

    What no mix of the palette comes near would pile up and run into the next area. An error is no
    longer than the way between two colours, so as much room is left on each side.
    """
    lowest, highest = palette_lab.min(axis=1), palette_lab.max(axis=1)
    room = highest - lowest
    return (lowest - room)[:, None], (highest + room)[:, None]


class _Band:
    """Some rows, walked along diagonals.

    A pixel waits for its left neighbour and for three above it, so all pixels of one x + 2y are
    independent and done at once. In memory they lie `width` apart, thanks to a spare column on
    each side and a spare row below, where the errors land that leave the band.
    """

    def __init__(self, rgba: Pixels, choice: Choice, passed_on: oklab.Floats) -> None:
        self._rows, self._width = rgba.shape[:2]
        self._line = self._width + 2
        self._choice, self._lab = choice, choice.lab
        self._lowest, self._highest = _reach(choice.lab)
        self._wanted = np.zeros((3, (self._rows + 1) * self._line))
        grid = self._wanted.reshape(3, self._rows + 1, self._line)
        grid[:, :-1, 1:-1] = oklab.from_rgb(rgba[..., :3].reshape(-1, 3)).reshape(
            3, self._rows, self._width
        )
        grid[:, 0] += passed_on
        self._chosen, self._open = self._settled(rgba)

    def _settled(self, rgba: Pixels) -> tuple[Pixels, NDArray[np.bool_]]:
        """Choose for pixels that keep their colour, and say which are open still; both flat."""
        grid = np.full((self._rows + 1, self._line), UNTOUCHED, np.uint8)
        is_open = np.zeros(grid.shape, np.bool_)
        cells, placed = grid[:-1, 1:-1], opaque(rgba)
        keys = keys_of(rgba)
        rest = placed.copy()
        for number, key in zip(self._choice.numbers, self._choice.keys, strict=True):
            same = rest & (keys == key)
            cells[same] = number
            rest &= ~same
        is_open[:-1, 1:-1] = rest
        return grid.ravel(), is_open.ravel()

    def run(self, progress: Progress) -> None:
        """Choose for all that is open."""
        diagonals = self._width + 2 * (self._rows - 1)
        for diagonal in range(diagonals):
            self._choose(self._places(diagonal))
            if diagonal % TELL_EVERY == 0:
                progress(diagonal / diagonals)

    def _places(self, diagonal: int) -> slice:
        first = max(0, (diagonal - self._width + 2) // 2)
        last = min(self._rows - 1, diagonal // 2)
        start = diagonal + 1 + first * self._width
        return slice(start, start + (last - first) * self._width + 1, self._width)

    def _choose(self, places: slice) -> None:
        is_open = self._open[places]
        if not is_open.any():
            return
        wanted = self._wanted[:, places].clip(self._lowest, self._highest)
        nearest = oklab.nearest(wanted, self._lab)
        np.copyto(self._chosen[places], self._choice.numbers[nearest], where=is_open)
        missed = (wanted - self._lab[:, nearest]) * is_open
        self._pass_on(missed, places, 1, 7 / 16)
        self._pass_on(missed, places, self._line - 1, 3 / 16)
        self._pass_on(missed, places, self._line, 5 / 16)
        self._pass_on(missed, places, self._line + 1, 1 / 16)

    def _pass_on(self, missed: oklab.Floats, places: slice, away: int, share: float) -> None:
        to = slice(places.start + away, places.stop + away, places.step)
        self._wanted[:, to] += missed * share

    @property
    def cells(self) -> Pixels:
        """What was chosen, of shape (rows, width)."""
        return self._chosen.reshape(self._rows + 1, self._line)[:-1, 1:-1]

    @property
    def passed_on(self) -> oklab.Floats:
        """What the next row below gets, of shape (3, width + 2)."""
        return self._wanted.reshape(3, self._rows + 1, self._line)[:, -1].copy()
