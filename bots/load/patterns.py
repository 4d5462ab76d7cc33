"""Which cells a placer of the load test places: the ways that need no board, and a picture.

Owns the choice; the ways themselves are those of the bots. Pure but for the chance it is handed.
Called by the worker when a placer has learned the game's state.
"""

from collections.abc import Callable, Iterator
from itertools import cycle, islice
from random import Random

from tesserae_client.records import parts

from bots.hotspot import hotspot
from bots.load.plan import Picture
from bots.raster import raster
from bots.scatter import scatter
from bots.walk import walk
from bots.way import Cell, Play, Seer

PLAYS: dict[str, Play] = {
    "random": scatter,
    "walk": walk,
    "raster": raster,
    "hotspot": hotspot,
}


def cells(pattern: str, rng: Random, seer: Seer) -> Iterator[Cell]:
    """Yield the cells of a pattern without end; none for who only waits."""
    return endless(PLAYS[pattern], rng, seer) if pattern in PLAYS else iter(())


def endless(
    play: Callable[[Random, Seer], Iterator[Cell]], rng: Random, seer: Seer
) -> Iterator[Cell]:
    """Begin anew whenever it ends: a client that is cut knows no state for a while."""
    while seer.game_state is not None:
        yield from play(rng, seer)


def share(picture: Picture, number: int, placers: int) -> Iterator[Cell]:
    """Yield every so many-th cell of the picture, over and over."""
    mine = list(islice(picture.records, number % len(picture.records), None, placers))
    return map(parts, cycle(mine))
