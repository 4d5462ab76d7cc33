"""What many bots together want a board to show, and who of them sees to which cell; pure.

Owns the comparison of the wanted colours with the board, the order of the work and the claims, so
that no cell is given to two bots at once. Its place is one of the very first board, which growth
never moves. Called by the ways that share a board; it knows no client and no clock.
"""

from collections import Counter
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from tesserae_client import Outcome, Placed, Refused

from bots.way import Cell

Colors = NDArray[np.uint8]

UNTOUCHED = 255
"""A cell of the target that may show whatever it likes."""
HOPELESS = frozenset({"masked", "out-of-bounds", "bad-color"})
"""Refusals that another try does not change: such a cell is dropped, and counted."""
_FIRST_SPAN = 64
"""Cells of the queue that are compared at once, more with every span that is all right already."""


@dataclass(frozen=True, slots=True)
class View:
    """The board at one moment; `colors` [height, width] goes on changing with it."""

    colors: Colors
    offset: tuple[int, int]
    """Where the very first board's corner is now."""
    seq: int
    epoch: str | None
    generation: int


@dataclass(frozen=True, slots=True)
class Claim:
    """Cells for one bot to place, in coordinates of the board of `generation`."""

    indexes: tuple[int, ...]
    cells: tuple[Cell, ...]
    generation: int


class Target:
    """Wanted colours [height, width] whose upper left corner is `at` on the very first board.

    `order` holds flat indexes into them, first things first.
    """

    def __init__(self, colors: Colors, at: tuple[int, int], order: NDArray[np.intp]) -> None:
        self.at = at
        self.order = order
        self.dropped: Counter[str] = Counter()
        """Cells that were given up, by the refusal."""
        self.left = 0
        """Cells that showed something else at the last look."""
        self.outside = 0
        """Wanted cells that lie beyond the board."""
        self._colors = colors
        self._hopeless = np.zeros(colors.shape, dtype=bool)
        self._claims: dict[int, int | None] = {}
        self._queue: NDArray[np.intp] = order[:0]
        self._view: View | None = None

    @property
    def colors(self) -> Colors:
        """The wanted colours; UNTOUCHED where it does not matter."""
        return self._colors

    @property
    def total(self) -> int:
        """Cells that are wanted, on the board and not given up."""
        return int(np.count_nonzero(self._wanted)) - self.outside

    @property
    def idle(self) -> bool:
        """Nothing more can be taken until the next look."""
        return self._queue.size == 0

    @property
    def done(self) -> bool:
        """All was right at the last look, and nothing is under way."""
        return self._view is not None and self.left == 0 and not self._claims

    def aim(self, colors: Colors) -> None:
        """Want other colours of the same size from now on; look anew before the next `take`."""
        if colors.shape != self._colors.shape:
            raise ValueError(f"a target of {self._colors.shape} cannot become {colors.shape}")
        self._colors = colors
        self._queue = self.order[:0]
        self._view = None

    def look(self, view: View) -> None:
        """Compare with the board, end the claims that it shows, and line up what is wrong."""
        previous, self._view = self._view, view
        replaced = previous is not None and previous.epoch != view.epoch
        self._end_claims(view.seq, replaced=replaced)
        wrong = self._wrong(view)
        self.left = int(np.count_nonzero(wrong))
        if self.idle or replaced:
            free = wrong.ravel()
            free[[*self._claims]] = False
            self._queue = self.order[free[self.order]]

    def sees(self, colors: Colors) -> bool:
        """Tell whether that is the board of the last look, and not one that took its place."""
        return self._view is not None and self._view.colors is colors

    def shown(self) -> Colors:
        """Return what the board shows there now; UNTOUCHED beyond the board."""
        shown = np.full_like(self._colors, UNTOUCHED)
        mine, theirs = self._overlap(self._seen)
        shown[mine] = self._seen.colors[theirs]
        return shown

    def take(self, most: int) -> Claim | None:
        """Claim up to `most` cells that are wrong at this moment, for one bot; None: nothing."""
        span = _FIRST_SPAN
        while not self.idle:
            still = np.flatnonzero(self._is_wrong(self._queue[:span]))[:most]
            if still.size:
                taken = self._queue[still].tolist()
                self._queue = self._queue[int(still[-1]) + 1 :]
                return self._claimed(taken)
            self._queue = self._queue[span:]
            span *= 8
        return None

    def _claimed(self, indexes: list[int]) -> Claim:
        view = self._seen
        left, top = self._corner(view)
        self._claims.update(dict.fromkeys(indexes))
        places = [divmod(index, self._colors.shape[1]) for index in indexes]
        colors = [int(self._colors[place]) for place in places]
        cells = zip(places, colors, strict=True)
        moved = tuple((column + left, row + top, color) for (row, column), color in cells)
        return Claim(tuple(indexes), moved, view.generation)

    def learn(self, index: int, outcome: Outcome) -> None:
        """Hear what became of a claimed cell; one that was placed stays claimed until it shows."""
        if isinstance(outcome, Placed):
            self._claims[index] = outcome.seq
            return
        self.release(index)
        if isinstance(outcome, Refused) and outcome.code in HOPELESS:
            self.dropped[outcome.code] += not self._hopeless.flat[index]
            self._hopeless.flat[index] = True

    def release(self, index: int) -> None:
        """Give a claimed cell back: its bot is gone."""
        self._claims.pop(index, None)

    def _end_claims(self, seq: int, *, replaced: bool) -> None:
        """A number of a history that is no more would be waited for in vain."""
        ended = [
            index
            for index, placed in self._claims.items()
            if placed is not None and (replaced or placed <= seq)
        ]
        for index in ended:
            del self._claims[index]

    def _wrong(self, view: View) -> NDArray[np.bool_]:
        mine, theirs = self._overlap(view)
        wanted = self._wanted
        wrong = np.zeros(self._colors.shape, dtype=bool)
        wrong[mine] = wanted[mine] & (self._colors[mine] != view.colors[theirs])
        self.outside = int(np.count_nonzero(wanted) - np.count_nonzero(wanted[mine]))
        return wrong

    def _overlap(self, view: View) -> tuple[tuple[slice, slice], tuple[slice, slice]]:
        """Return the common rectangle, as part of the target and as part of the board."""
        left, top = self._corner(view)
        rows = _common(top, self._colors.shape[0], view.colors.shape[0])
        columns = _common(left, self._colors.shape[1], view.colors.shape[1])
        return (rows[0], columns[0]), (rows[1], columns[1])

    def _is_wrong(self, indexes: NDArray[np.intp]) -> NDArray[np.bool_]:
        """Compare some cells, all of them on the board at the last look."""
        view = self._seen
        rows, columns = np.divmod(indexes, self._colors.shape[1])
        left, top = self._corner(view)
        shown = view.colors[rows + top, columns + left]
        wrong: NDArray[np.bool_] = shown != self._colors[rows, columns]
        return wrong

    @property
    def _wanted(self) -> NDArray[np.bool_]:
        wanted: NDArray[np.bool_] = (self._colors != UNTOUCHED) & ~self._hopeless
        return wanted

    @property
    def _seen(self) -> View:
        if self._view is None:
            raise RuntimeError("nothing can be told of a board before the first look")
        return self._view

    def _corner(self, view: View) -> tuple[int, int]:
        return self.at[0] + view.offset[0], self.at[1] + view.offset[1]


def _common(start: int, size: int, whole: int) -> tuple[slice, slice]:
    """Intersect [start, start + size) with [0, whole): as part of the one and of the other."""
    first = min(max(0, start), whole)
    last = max(first, min(whole, start + size))
    if first == last:
        return slice(0), slice(0)
    return slice(first - start, last - start), slice(first, last)
