"""Conway's life, lived on a region of the board by all bots together.

Owns the region and its generations: the next one is computed from what the board shows once the
bots have placed the births and deaths of the last. Nothing else is touched, so that strangers'
pixels live, breed and die with the others. The rule is life.py's. Called by the crew.
"""

from random import Random
from typing import Literal

import numpy as np
from tesserae_client import Client, GameState

from bots import life, order
from bots.target import UNTOUCHED, Colors, Target
from bots.team import Team
from bots.way import WayError

Start = Literal["board", "glider", "soup"]
Region = tuple[int, int, int, int]
"""x1, y1, x2, y2; both corners included"""

MAX_CELLS = 512 * 512
"""A generation of so many takes some 50 ms."""
USUAL_SIDE = 64
LEAST_SIDE = 3


class Life(Team):
    """Lives for so many generations, or until told to stop."""

    def __init__(
        self, region: Region | None, *, start: Start, generations: int | None, seed: int
    ) -> None:
        super().__init__()
        self._region = region
        self._start = start
        self._generations = generations
        self._rng = Random(f"{seed}/life")
        self._empty = 15
        self._generation = -1
        self._alive = 0
        self._still = False

    async def begin(self, watcher: Client, state: GameState) -> Target:
        """Take what is there as the first generation, or plant one; raises WayError."""
        self._empty = mortal(state)
        x1, y1, x2, y2 = region_of(self._region, state)
        first = self._planted(watcher.board.colors[y1 : y2 + 1, x1 : x2 + 1].copy(), state)
        indexes = order.order("random", first, self._rng)
        return Target(first, (x1 - state.offset_x, y1 - state.offset_y), indexes)

    async def recolored(self, watcher: Client, state: GameState, target: Target) -> Target:  # noqa: ARG002
        """Live on from what is there; raises WayError when cells cannot die any more."""
        self._empty = mortal(state)
        nothing = np.full_like(target.colors, UNTOUCHED)
        return Target(nothing, target.at, target.order)

    def reached(self, watcher: Client, target: Target) -> bool:  # noqa: ARG002
        """Go on to the next generation. True after the last, or when nothing will change again."""
        now = target.shown()
        following = life.next_generation(now, self._empty)
        self._alive = int(np.count_nonzero(now != self._empty))
        self._generation += not self._still
        self._still = bool(np.array_equal(following, now))
        if self._generations is not None and (self._still or self._generation >= self._generations):
            return True
        target.aim(np.where(following == now, np.uint8(UNTOUCHED), following))
        return False

    def note(self) -> str:
        """Say which generation it is."""
        still = ", nothing changes any more" if self._still else ""
        return f"generation {max(0, self._generation)}, {self._alive:,} alive{still}"

    def _planted(self, there: Colors, state: GameState) -> Colors:
        height, width = there.shape
        colors = [color for color in state.colors if color != state.empty]
        if self._start == "soup":
            return life.soup(width, height, state.empty, colors, self._rng)
        if self._start == "glider":
            return life.glider(width, height, state.empty, self._rng.choice(colors))
        if (there == state.empty).all():
            raise WayError(
                "Nobody lives in the region: every cell has the empty colour. "
                "Give --start soup or --start glider."
            )
        return there


def mortal(state: GameState) -> int:
    """Return the colour of no life; raises WayError where it may not be placed."""
    if state.empty not in state.colors:
        raise WayError(
            "Cells cannot die here: the board's empty colour may not be placed. "
            "Choose another game, or a palette that has it."
        )
    return state.empty


def region_of(region: Region | None, state: GameState) -> Region:
    """Return the region to live on, the middle of the board by default; raises WayError."""
    if region is None:
        width, height = min(USUAL_SIDE, state.width), min(USUAL_SIDE, state.height)
        x, y = (state.width - width) // 2, (state.height - height) // 2
        region = x, y, x + width - 1, y + height - 1
    x1, y1, x2, y2 = region
    if not (0 <= x1 <= x2 < state.width and 0 <= y1 <= y2 < state.height):
        raise WayError(
            f"The region {x1},{y1},{x2},{y2} is not on the board of {state.width} x "
            f"{state.height}; give --region X1,Y1,X2,Y2 with both corners on it."
        )
    width, height = x2 - x1 + 1, y2 - y1 + 1
    if min(width, height) < LEAST_SIDE or width * height > MAX_CELLS:
        raise WayError(
            f"The region is {width} x {height} cells; life takes {LEAST_SIDE} x {LEAST_SIDE} "
            f"to {MAX_CELLS:,} cells. Give another --region."
        )
    return region
