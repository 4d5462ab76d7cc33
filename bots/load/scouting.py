"""A look at the board before anybody sets out: is it there, how large, in which colours.

Owns one connection of a spectator, and what of the plan depends on the board: the picture. Raises
click's UsageError, which says what helps. Called by the command line.
"""

import asyncio
from collections.abc import Iterator
from random import Random

import click
import numpy as np
from tesserae_client import Client, GameState, Stopped
from tesserae_client.records import record

from bots.load.plan import Picture as Cells
from bots.load.plan import Plan
from bots.load.remedies import remedy
from bots.order import order
from pictures.matching import match
from pictures.picture import Picture

PATIENCE_S = 15.0


async def look(url: str, game: str) -> GameState:
    """Learn the game's state; fails when there is none."""
    try:
        async with (
            asyncio.timeout(PATIENCE_S),
            Client(
                url, game=game, guest=False, track_board=False, wants_presence=False,
                give_up_after=1,
            ) as client,
        ):  # fmt: skip
            await client.ready()
            state = client.game_state
    except Stopped as stopped:
        raise click.UsageError(remedy(str(stopped), None)) from stopped
    except TimeoutError as late:
        raise click.UsageError(f"{url} does not answer within {PATIENCE_S:g} s.") from late
    if state is None:
        raise click.UsageError(f"{url} tells nothing of {game}.")
    return state


def records_of(picture: Picture, at: tuple[int, int], state: GameState, seed: int) -> Cells:
    """Match a picture to the palette: the records of the cells that are on the board."""
    palette = [None if color is None else color.rgb for color in state.palette]
    colors = match(picture, palette, dither=False).cells
    indexes = order("spread", colors, Random(f"{seed}/order"))
    rows, columns = np.divmod(indexes, colors.shape[1])
    x, y = columns + at[0], rows + at[1]
    inside = (x >= 0) & (x < state.width) & (y >= 0) & (y < state.height)
    if not inside.any():
        raise click.BadParameter(
            f"nothing of the picture is on the board of {state.width} x {state.height}; "
            f"give another --at, or a picture that is not transparent",
            param_hint="--picture",
        )
    placed = zip(x[inside], y[inside], colors[rows, columns][inside], strict=True)
    records = tuple(record(int(left), int(top), int(color)) for left, top, color in placed)
    return Cells(generation=state.generation, records=records)


def remarks(plan: Plan, state: GameState) -> Iterator[str]:
    """Say what of the board will refuse placements of this plan."""
    cooldown_s = state.cooldown.ms / 1000
    fastest = max((pace.rate or 0.0 for part in plan.parts for pace in part.paces), default=0.0)
    if cooldown_s and fastest > 1 / cooldown_s:
        yield (
            f"The board's cooldown of {cooldown_s:g} s lets each place {1 / cooldown_s:.3g} a "
            f"second, not {fastest:g}: the others will be refused. Start the server with "
            f"--cooldown-ms 0, or leave --rate out."
        )
    if state.locked:
        yield "The board is locked: placements will be refused."
