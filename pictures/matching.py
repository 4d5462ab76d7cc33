"""Pictures to cells: each pixel takes the palette's nearest colour, and each change is told.

Owns the nearest colour and the tally of changes; dithering.py owns the other way to choose. Works
in bands, so that the memory is bounded however many colours there are. Called by the command line
and the bots.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from pictures import oklab
from pictures.bands import bands, part
from pictures.choice import UNTOUCHED, Choice, Keys, hex_of, keys_of, opaque
from pictures.dithering import dithered
from pictures.picture import Picture, Pixels, Progress, ignore

MAX_LISTED = 4096
"""Colours whose changes are listed, the most frequent first."""
ALL_COLORS = 1 << 24
COLORS_AT_ONCE = 1 << 18
NUMBERS = 256

Counts = NDArray[np.uint32]


@dataclass(frozen=True, slots=True)
class Change:
    """So many pixels of a colour became another."""

    from_rgb: str
    to_index: int
    to_rgb: str
    count: int


@dataclass(frozen=True, slots=True)
class Matched:
    """`cells` is uint8 of shape (height, width): numbers of colours, or UNTOUCHED."""

    cells: Pixels
    changes: tuple[Change, ...]
    """The most frequent first; those of the MAX_LISTED most frequent colours."""
    exact: int
    """Pixels that kept their colour."""
    changed: int
    """Pixels that took another."""
    changed_colors: int
    """Colours that changed; more than `changes` tells of when there are very many."""
    untouched: int
    """Pixels that count as transparent."""
    half_transparent: int
    """Pixels neither opaque nor clear; from half on they count as opaque."""


def match(
    picture: Picture,
    palette: Sequence[str | None],
    *,
    dither: bool = False,
    progress: Progress = ignore,
) -> Matched:
    """Match a picture to a palette of `#RRGGBB` by number; None is never chosen.

    Of equally near colours the first is taken. Raises PictureError for a palette without colours.
    """
    choice = Choice.of(palette)
    counts = _counted(picture, part(progress, 0, 0.3))
    middle = part(progress, 0.3, 0.8)
    if dither:
        cells = dithered(picture, choice, middle)
    else:
        cells = _mapped(picture, _table(counts, choice), middle)
    return _told(picture, cells, counts, choice, part(progress, 0.8, 1))


def _counted(picture: Picture, progress: Progress) -> Counts:
    """Count the placed pixels of each of all colours."""
    counts = np.zeros(ALL_COLORS, np.uint32)
    for rows in bands(picture.width, picture.height, progress):
        pixels = picture.rgba[rows]
        keys, found = np.unique(keys_of(pixels[opaque(pixels)]), return_counts=True)
        counts[keys] += found.astype(np.uint32)
    return counts


def _table(counts: Counts, choice: Choice) -> Pixels:
    """Give the number that each colour of the picture takes."""
    table = np.zeros(ALL_COLORS, np.uint8)
    used, palette = np.flatnonzero(counts).astype(np.uint32), choice.lab
    for first in range(0, used.size, COLORS_AT_ONCE):
        keys = used[first : first + COLORS_AT_ONCE]
        table[keys] = choice.numbers[oklab.nearest(oklab.from_rgb(_rgb(keys)), palette)]
    # a color of the palette is itself, also where it would be a rounding away from its like
    table[choice.keys[::-1]] = choice.numbers[::-1]
    return table


def _rgb(keys: Keys) -> Pixels:
    return np.stack([keys >> 16, keys >> 8 & 255, keys & 255], axis=1).astype(np.uint8)


def _mapped(picture: Picture, table: Pixels, progress: Progress) -> Pixels:
    cells = np.empty((picture.height, picture.width), np.uint8)
    for rows in bands(picture.width, picture.height, progress):
        pixels = picture.rgba[rows]
        cells[rows] = np.where(opaque(pixels), table[keys_of(pixels)], UNTOUCHED)
    return cells


def _told(
    picture: Picture, cells: Pixels, counts: Counts, choice: Choice, progress: Progress
) -> Matched:
    exact = int(counts[np.unique(choice.keys)].sum())
    placed = int(counts.sum())
    counts[choice.keys] = 0
    others = np.flatnonzero(counts).astype(np.uint32)
    listed = others[np.argsort(-counts[others].astype(np.int32), kind="stable")[:MAX_LISTED]]
    return Matched(
        cells=cells,
        changes=_changes(picture, cells, listed, choice, progress),
        exact=exact,
        changed=placed - exact,
        changed_colors=others.size,
        untouched=cells.size - placed,
        half_transparent=_half_transparent(picture),
    )


def _changes(
    picture: Picture, cells: Pixels, listed: Keys, choice: Choice, progress: Progress
) -> tuple[Change, ...]:
    """Count into what each listed colour has changed."""
    places = np.zeros(ALL_COLORS, np.uint16)
    places[listed] = np.arange(1, listed.size + 1)
    pairs = np.zeros((listed.size + 1) * NUMBERS, np.int64)
    for rows in bands(picture.width, picture.height, progress):
        pixels = picture.rgba[rows]
        seen = opaque(pixels)
        found = places[keys_of(pixels[seen])].astype(np.int64) * NUMBERS + cells[rows][seen]
        pairs += np.bincount(found, minlength=pairs.size)
    rgb = dict(zip(choice.numbers.tolist(), map(hex_of, choice.keys.tolist()), strict=True))
    names = [hex_of(key) for key in listed.tolist()]
    changes = [
        Change(names[pair // NUMBERS - 1], pair % NUMBERS, rgb[pair % NUMBERS], int(pairs[pair]))
        for pair in np.flatnonzero(pairs).tolist()
        if pair >= NUMBERS
    ]
    return tuple(sorted(changes, key=lambda change: -change.count))


def _half_transparent(picture: Picture) -> int:
    return sum(
        int(np.count_nonzero((alpha > 0) & (alpha < 255)))  # noqa: PLR2004
        for rows in bands(picture.width, picture.height)
        for alpha in (picture.rgba[rows, :, 3],)
    )
