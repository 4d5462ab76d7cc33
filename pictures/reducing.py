"""Palettes of too many colours: which are kept, and what becomes of the others.

Owns the choice: by what a picture uses, or else so that the kept ones lie far apart. The same
colours and counts always give the same. Called by the command line.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from pictures import oklab
from pictures.choice import rgb_of


@dataclass(frozen=True, slots=True)
class Replaced:
    """A colour that was not kept, by its number in the old palette, and the one in its place."""

    old: int
    from_rgb: str
    new: int
    to_rgb: str


@dataclass(frozen=True, slots=True)
class Reduction:
    """Which colours are kept; all numbers begin at 0."""

    kept: tuple[int, ...]
    """Old numbers, ascending: the new palette's order."""
    new_number: tuple[int, ...]
    """For each old number the new one: its own, or that of the nearest kept colour."""
    replaced: tuple[Replaced, ...]


def reduced(colors: Sequence[str], keep: int, counts: Sequence[int] | None = None) -> Reduction:
    """Keep at most so many of the colours `#RRGGBB`.

    Each step keeps the colour that improves the whole the most: that brings the pixels (each colour
    counts once without `counts`) nearest to a kept colour, by the square of OKLab's distance.
    """
    lab = oklab.from_rgb(rgb_of(colors))
    squares = _squares(lab)
    weights = np.ones(len(colors)) if counts is None else np.asarray(counts, np.float64)
    kept = _kept(squares, weights, min(keep, len(colors)))
    nearest = squares[:, kept].argmin(axis=1)
    nearest[kept] = np.arange(len(kept))
    return Reduction(
        kept=tuple(kept),
        new_number=tuple(nearest.tolist()),
        replaced=tuple(
            Replaced(old, colors[old], new, colors[kept[new]])
            for old, new in enumerate(nearest.tolist())
            if kept[new] != old
        ),
    )


def _squares(lab: oklab.Floats) -> oklab.Floats:
    return np.stack([((lab - lab[:, [n]]) ** 2).sum(axis=0) for n in range(lab.shape[1])])


def _kept(squares: oklab.Floats, weights: NDArray[np.float64], keep: int) -> list[int]:
    kept: list[int] = []
    left = np.full(weights.size, np.inf)
    for _ in range(keep):
        cost = (np.minimum(left[:, None], squares) * weights[:, None]).sum(axis=0)
        cost[kept] = np.inf
        kept.append(int(cost.argmin()))
        left = np.minimum(left, squares[:, kept[-1]])
    return sorted(kept)
