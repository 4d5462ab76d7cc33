"""A random walk: a bot wanders over the board and leaves a line of one colour behind it.

Owns where the next pixel goes; pure but for the chance it is handed. Used by the crew.
"""

from collections.abc import Iterator
from random import Random

from bots.way import Cell, Seer

STRIDE = 200
"""Steps after which a walker takes another colour and starts elsewhere."""


def steps(rng: Random, width: int, height: int, colors: list[int]) -> Iterator[Cell]:
    """Yield one stretch of a walk: neighbouring cells, all of one colour, always on the board."""
    x, y, color = rng.randrange(width), rng.randrange(height), rng.choice(colors)
    for _ in range(STRIDE):
        yield x, y, color
        along_x, by = rng.random() < width / (width + height), rng.choice((-1, 1))
        if along_x:
            x = _bounce(x, by, width)
        else:
            y = _bounce(y, by, height)


def walk(rng: Random, client: Seer) -> Iterator[Cell]:
    """Yield a walk without end over the client's board, as large as it is at each stretch."""
    while (state := client.game_state) is not None:
        yield from steps(rng, state.width, state.height, state.colors)


def _bounce(at: int, by: int, size: int) -> int:
    return at + by if 0 <= at + by < size else max(0, min(size - 1, at - by))
