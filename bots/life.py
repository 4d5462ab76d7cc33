"""Conway's game of life on coloured cells; pure.

Owns the rule: a living cell with two or three living neighbours lives on in its colour, an empty
one with exactly three is born in the colour that most of them have (of as many, the lowest index),
all others are empty. The region is a torus: what leaves at one side comes in at the other, so that
a glider flies for ever. Called by the way `life`.
"""

from random import Random

import numpy as np
from numpy.typing import NDArray

from bots.target import Colors

GLIDER = ((1, 0), (2, 1), (0, 2), (1, 2), (2, 2))
"""(x, y) of its five cells; it flies to the lower right."""
SOUP_SHARE = 0.3
"""How many cells of a soup live at first."""
_LIVES_ON, _IS_BORN = (2, 3), 3
_AROUND = tuple((dy, dx) for dy in (-1, 0, 1) for dx in (-1, 0, 1) if dy or dx)


def next_generation(cells: Colors, empty: int) -> Colors:
    """Return the generation after `cells` [height, width]; `empty` is the colour of no life."""
    alive = cells != empty
    neighbours = _count(alive)
    lives_on = alive & np.isin(neighbours, _LIVES_ON)
    is_born = ~alive & (neighbours == _IS_BORN)
    born = np.where(is_born, _colors_of_parents(cells, empty), np.uint8(empty))
    return np.where(lives_on, cells, born).astype(np.uint8)


def glider(width: int, height: int, empty: int, color: int) -> Colors:
    """Return a region with one glider in its middle."""
    cells = np.full((height, width), empty, dtype=np.uint8)
    for x, y in GLIDER:
        cells[(height // 2 + y) % height, (width // 2 + x) % width] = color
    return cells


def soup(width: int, height: int, empty: int, colors: list[int], rng: Random) -> Colors:
    """Return a region with living cells of all colours strewn over it."""
    chance = np.random.default_rng(rng.getrandbits(64))
    cells = chance.choice(np.array(colors, dtype=np.uint8), (height, width))
    return np.where(chance.random((height, width)) < SOUP_SHARE, cells, np.uint8(empty))


def _count(cells: NDArray[np.bool_]) -> Colors:
    count = np.zeros(cells.shape, dtype=np.uint8)
    for around in _AROUND:
        count += np.roll(cells, around, axis=(0, 1))
    return count


def _colors_of_parents(cells: Colors, empty: int) -> Colors:
    most = np.zeros(cells.shape, dtype=np.uint8)
    colors = np.full(cells.shape, empty, dtype=np.uint8)
    for color in (int(color) for color in np.unique(cells) if color != empty):
        count = _count(cells == color)
        colors[count > most] = color
        most = np.maximum(most, count)
    return colors
