"""Many bots paint one picture, and mend what others overwrite.

Owns the picture, its match to the board's palette, and what is told of it; who places which cell is
the target's affair. Called by the crew.
"""

import asyncio
from random import Random

from tesserae_client import Client, GameState

from bots import order
from bots.target import UNTOUCHED, Target
from bots.team import Team
from bots.way import WayError
from pictures.matching import Matched, match
from pictures.picture import Picture

SHOWN_CHANGES = 3


class Paint(Team):
    """Paints until told to stop; with `once` until the board shows the picture."""

    def __init__(
        self,
        picture: Picture,
        at: tuple[int, int],
        *,
        order: order.OrderName,
        dither: bool,
        once: bool,
        seed: int,
    ) -> None:
        super().__init__()
        self._picture = picture
        self._at = at
        self._order = order
        self._dither = dither
        self._once = once
        self._rng = Random(f"{seed}/order")
        self._told = ""
        self._finished = False

    async def begin(self, watcher: Client, state: GameState) -> Target:  # noqa: ARG002
        """Match the picture to the board's palette; raises WayError when nothing is to be done."""
        self._check_place(state)
        return await self._matched(
            state, (self._at[0] - state.offset_x, self._at[1] - state.offset_y)
        )

    async def recolored(self, watcher: Client, state: GameState, target: Target) -> Target:  # noqa: ARG002
        """Match it anew; raises WayError when nothing is to be done."""
        self._finished = False
        return await self._matched(state, target.at)

    async def _matched(self, state: GameState, at: tuple[int, int]) -> Target:
        palette = [None if color is None else color.rgb for color in state.palette]
        matched = await asyncio.to_thread(match, self._picture, palette, dither=self._dither)
        self._told = told_changes(matched, dithered=self._dither)
        if not (matched.cells != UNTOUCHED).any():
            raise WayError("The picture is transparent everywhere; give it pixels to paint.")
        indexes = await asyncio.to_thread(order.order, self._order, matched.cells, self._rng)
        return Target(matched.cells, at, indexes)

    def reached(self, watcher: Client, target: Target) -> bool:  # noqa: ARG002
        """Take note; that is all with `once`, otherwise it is watched over from now on."""
        self._finished = True
        return self._once

    def note(self) -> str:
        """Say whether the picture is there already."""
        return "painted, watching over it" if self._finished and not self._once else ""

    def remark(self) -> str:
        """Say how its colours were matched."""
        return self._told

    def shortfall(self) -> str:
        """Say how much of the picture the board does not show."""
        target = self.target
        if target is None:
            return "the painting never began"
        if target.left == 0:
            return ""
        why = "were overwritten since" if self._finished else "are not painted"
        return f"{target.left:,} of {target.total:,} cells {why}: run it again to go on"

    def _check_place(self, state: GameState) -> None:
        (x, y), picture = self._at, self._picture
        if (
            x < state.width
            and y < state.height
            and x + picture.width > 0
            and y + picture.height > 0
        ):
            return
        raise WayError(
            f"The picture of {picture.width} x {picture.height} at {x},{y} lies wholly beyond the "
            f"board of {state.width} x {state.height}; choose another place with --at X,Y."
        )


def told_changes(matched: Matched, *, dithered: bool) -> str:
    """Say in one line which colours the palette could not give."""
    if not matched.changed:
        return "every pixel keeps its colour"
    if dithered:
        return f"{matched.changed:,} pixels are mixed from the palette's colours"
    shown = ", ".join(
        f"{change.from_rgb} as {change.to_rgb} x {change.count:,}"
        for change in matched.changes[:SHOWN_CHANGES]
    )
    more = matched.changed_colors - min(SHOWN_CHANGES, len(matched.changes))
    rest = f" and {more:,} colours more" if more > 0 else ""
    return f"{matched.changed:,} pixels take the nearest colour ({shown}{rest})"
