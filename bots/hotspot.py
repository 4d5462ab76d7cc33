"""One spot that everybody wants: pixels crowd around the middle of the board and fight for it.

Owns where the next pixel goes; pure but for the chance it is handed. Used by the crew, and good for
a load that meets on few cells.
"""

from collections.abc import Iterator
from random import Random

from bots.way import Cell, Seer

SPREAD = 1 / 32
"""Standard deviation, as a share of the side."""


def hotspot(rng: Random, client: Seer) -> Iterator[Cell]:
    """Yield cells around the middle of the board, where everybody wants to be, without end."""
    while (state := client.game_state) is not None:
        x = _near(rng, state.width)
        y = _near(rng, state.height)
        yield x, y, rng.choice(state.colors)


def _near(rng: Random, size: int) -> int:
    at = round(rng.gauss(size / 2, size * SPREAD))
    return max(0, min(size - 1, at))
