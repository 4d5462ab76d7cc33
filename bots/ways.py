"""The ways of playing, in one table: what each is called, what it may be told, how it is made.

The command line, scenarios and their reference are built from it. A new way is a small module and a
row here.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from random import Random
from typing import Any

from pydantic import Field

from bots.hotspot import hotspot
from bots.life_way import Life, Start
from bots.options import Options, Position, Region
from bots.order import OrderName
from bots.paint import Paint
from bots.raster import raster
from bots.scatter import scatter
from bots.walk import walk
from bots.way import Alone, Cell, Play, Seer, Way
from pictures.reading import read


@dataclass(frozen=True, slots=True)
class Setting:
    """Where a way is played: the seed of its chance, and the folder that paths start from."""

    seed: int
    folder: Path


@dataclass(frozen=True, slots=True)
class Kind:
    """One row of the table."""

    help: str
    options: type[Options]
    prepare: Callable[[Any, Setting], Callable[[], Way]]
    """Takes an instance of `options`, reads what they name, and gives what makes the way; raises
    PictureError."""
    spectates: bool = False
    """Everybody only watches."""


class NoOptions(Options):
    """Nothing to be told."""


class PaintOptions(Options):
    """What a painting may be told."""

    picture: str = Field(description="The picture file: PNG, GIF, BMP, WebP or JPEG.")
    at: Position = Field(description="Where its upper left corner goes on the board of today.")
    dither: bool = Field(default=False, description="Mix colours that the palette does not have.")
    order: OrderName = Field(
        default="spread",
        description="What comes first: row by row, by chance, evenly everywhere, or outlines.",
    )
    once: bool = Field(
        default=False,
        description="End when the picture is there, instead of mending it until Ctrl-C.",
    )


class LifeOptions(Options):
    """What a life may be told."""

    region: Region = Field(
        default=None, description="Where it is lived. [default: 64 x 64 in the middle]"
    )
    start: Start = Field(default="board", description="What is there already, a glider, or chance.")
    generations: int | None = Field(
        default=None, ge=1, le=1_000_000, description="End after so many. [default: at Ctrl-C]"
    )


def _alone(play: Play) -> Callable[[NoOptions, Setting], Callable[[], Way]]:
    return lambda _options, _setting: lambda: Alone(play)


def _nothing(_rng: Random, _client: Seer) -> Iterator[Cell]:
    return iter(())


def _paint(options: PaintOptions, setting: Setting) -> Callable[[], Way]:
    return partial(
        Paint,
        read(setting.folder / options.picture),
        options.at,
        order=options.order,
        dither=options.dither,
        once=options.once,
        seed=setting.seed,
    )


def _life(options: LifeOptions, setting: Setting) -> Callable[[], Way]:
    start, generations = options.start, options.generations
    return partial(Life, options.region, start=start, generations=generations, seed=setting.seed)


WAYS = {
    "walk": Kind("Wander over the board, each drawing a line.", NoOptions, _alone(walk)),
    "random": Kind("Place anywhere, in any colour.", NoOptions, _alone(scatter)),
    "raster": Kind("Sweep the board row by row.", NoOptions, _alone(raster)),
    "hotspot": Kind("Crowd around the middle of the board.", NoOptions, _alone(hotspot)),
    "idle": Kind("Be there and place nothing.", NoOptions, _alone(_nothing)),
    "spectate": Kind("Watch without being anybody.", NoOptions, _alone(_nothing), spectates=True),
    "paint": Kind("Paint one picture together, and mend it.", PaintOptions, _paint),
    "life": Kind("Live Conway's life on a region of the board.", LifeOptions, _life),
}
