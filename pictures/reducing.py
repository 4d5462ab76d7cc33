"""Palettes of too many colours: which are kept, and what becomes of the others.

Owns the choice: by what a picture uses, or else so that no colour is far from a kept one. The same
colours and counts always give the same. Called by the command line.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from pictures import oklab
from pictures.choice import rgb_of
from pictures.picture import PictureError


@dataclass(frozen=True, slots=True)
class Replaced:
    """A colour that is not kept and the one that takes its place, by old numbers."""

    number: int
    rgb: str
    by_number: int
    by_rgb: str
    count: int | None
    """How many pixels have it, when that was given."""


@dataclass(frozen=True, slots=True)
class Reduction:
    """What a palette becomes."""

    kept: tuple[int, ...]
    """Old numbers, ascending: the order of the new palette."""
    new_numbers: Mapping[int, int]
    """From each old number to the new one of the same or of the nearest kept colour."""
    replaced: tuple[Replaced, ...]
    """Ascending by number."""


def reduced(
    colors: Sequence[str | None], keep: int, counts: Sequence[int] | None = None
) -> Reduction:
    """Keep at most `keep` of the colours `#RRGGBB`; None is never kept.

    Each step keeps the colour that brings the pixels nearest to their kept colours, by the squares
    of OKLab's distances; without `counts`, by number, each colour is one pixel. Raises PictureError
    when there is no colour.
    """
    given = [(number, rgb) for number, rgb in enumerate(colors) if rgb is not None]
    if not given or keep < 1:
        raise PictureError("no color can be kept of this palette; give it colors, as #RRGGBB")
    numbers = [number for number, _ in given]
    squares = _squares(oklab.from_rgb(rgb_of([rgb for _, rgb in given])))
    weights = [1 if counts is None else counts[number] for number in numbers]
    kept = _kept(squares, np.array(weights, np.float64), min(keep, len(numbers)))
    nearest = squares[:, kept].argmin(axis=1)
    nearest[kept] = np.arange(len(kept))
    by = [given[kept[new]] for new in nearest.tolist()]
    return Reduction(
        kept=tuple(numbers[place] for place in kept),
        new_numbers=dict(zip(numbers, nearest.tolist(), strict=True)),
        replaced=tuple(
            Replaced(number, rgb, by_number, by_rgb, counts[number] if counts else None)
            for (number, rgb), (by_number, by_rgb) in zip(given, by, strict=True)
            if by_number != number
        ),
    )


def _squares(lab: oklab.Floats) -> oklab.Floats:
    return np.stack([((lab - lab[:, [n]]) ** 2).sum(axis=0) for n in range(lab.shape[1])])


def _kept(squares: oklab.Floats, weights: NDArray[np.float64], keep: int) -> list[int]:
    """Choose greedily; of equally good ones the first."""
    kept: list[int] = []
    left = np.full(weights.size, squares.max() + 1)
    for _ in range(keep):
        cost = (np.minimum(left[:, None], squares) * weights[:, None]).sum(axis=0)
        cost[kept] = np.inf
        kept.append(int(cost.argmin()))
        left = np.minimum(left, squares[:, kept[-1]])
    return sorted(kept)
