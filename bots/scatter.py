"""Cells of chance: anywhere on the board, in any colour, none beside the one before.

Owns where the next pixel goes; pure but for the chance it is handed. Used by the crew and the load
test; no order helps the server with it.
"""

from collections.abc import Iterator
from random import Random

from bots.way import Cell, Seer


def scatter(rng: Random, client: Seer) -> Iterator[Cell]:
    """Yield cells of chance, without end."""
    while (state := client.game_state) is not None:
        yield rng.randrange(state.width), rng.randrange(state.height), rng.choice(state.colors)
