"""Row by row: the bots sweep the board together, each in lines of its own, in changing colours.

Owns where the next pixel goes; pure but for the chance it is handed. Used by the crew, and good for
a load that is even over the board.
"""

from collections.abc import Iterator
from random import Random

from bots.way import Cell, Seer


def raster(rng: Random, client: Seer) -> Iterator[Cell]:
    """Yield one row after the other from a row of chance on, without end."""
    state = client.game_state
    row = 0 if state is None else rng.randrange(state.height)
    while (state := client.game_state) is not None:
        color = rng.choice(state.colors)
        row %= state.height
        for x in range(state.width):
            yield x, row, color
        row += 1
