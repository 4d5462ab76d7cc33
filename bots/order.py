"""In which order the cells of a target are placed; pure but for the chance it is handed.

Owns one small function for each order; `ORDERS` is their table. Called by the painting.
"""

from collections.abc import Callable
from random import Random
from typing import Literal, get_args

import numpy as np
from numpy.typing import NDArray

from bots.target import UNTOUCHED, Colors

Indexes = NDArray[np.intp]
OrderName = Literal["scan", "random", "spread", "edges"]

_TILE_BITS = 6


def order(name: OrderName, colors: Colors, rng: Random) -> Indexes:
    """Return the flat indexes of all wanted cells, first things first."""
    return ORDERS[name](colors, rng)


def _scan(colors: Colors, _rng: Random) -> Indexes:
    """Row by row from the top."""
    return np.flatnonzero(colors != UNTOUCHED)


def _random(colors: Colors, rng: Random) -> Indexes:
    """All over the place; the same seed gives the same order."""
    return np.random.default_rng(rng.getrandbits(64)).permutation(_scan(colors, rng))


def _spread(colors: Colors, rng: Random) -> Indexes:
    """Evenly everywhere at any time, as a picture that loads: by the ranks of a Bayer matrix."""
    wanted = _scan(colors, rng)
    rows, columns = np.divmod(wanted, colors.shape[1])
    return wanted[np.argsort(_bayer(columns, rows), kind="stable")]


def _edges(colors: Colors, rng: Random) -> Indexes:
    """Outlines first, where neighbours differ in colour, then the areas; both spread."""
    wanted = _spread(colors, rng)
    return wanted[np.argsort(~_outline(colors).ravel()[wanted], kind="stable")]


ORDERS: dict[str, Callable[[Colors, Random], Indexes]] = {
    "scan": _scan,
    "random": _random,
    "spread": _spread,
    "edges": _edges,
}
assert set(ORDERS) == set(get_args(OrderName))  # noqa: S101 - a table and its type


def _bayer(columns: Indexes, rows: Indexes) -> Indexes:
    """Rank cells in a tile of 64 x 64: the lowest bits of the place decide first.

    The recursive matrix M(2n) = 4·M(n) + [[0, 2], [3, 1]] written out as bits: of each pair, the
    higher one is x xor y and the lower one is y.
    """
    rank = np.zeros_like(columns)
    for bit in range(_TILE_BITS):
        x, y = columns >> bit & 1, rows >> bit & 1
        rank = rank << 2 | (x ^ y) << 1 | y
    return rank


def _outline(colors: Colors) -> NDArray[np.bool_]:
    outline = np.zeros(colors.shape, dtype=bool)
    down, along = colors[1:] != colors[:-1], colors[:, 1:] != colors[:, :-1]
    outline[1:] |= down
    outline[:-1] |= down
    outline[:, 1:] |= along
    outline[:, :-1] |= along
    return outline
