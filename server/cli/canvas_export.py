"""`tesserae canvas export`: the newest board, or a part of it, as a PNG picture.

Owns the flags and the order: read, draw, write. Takes no lock and works beside a running server,
and changes nothing. Called by the group `canvas`.
"""

import asyncio
from typing import Any

import click

from canvas.region import Region
from pictures.limits import MAX_SCALE, MAX_SIDE, largest_scale
from server.cli.options import PLACE_NAMES, SettingsCommand, loaded, settings_options
from server.cli.output import STANDARD, check_target, opened_output
from server.cli.parameters import RegionParameter, check_region
from server.game.names import DEFAULT_GAME


@click.command("export", cls=SettingsCommand)
@settings_options(*PLACE_NAMES)
@click.option("--game", default=DEFAULT_GAME, show_default=True, help="Game to export from.")
@click.option(
    "-o",
    "--output",
    metavar="FILE",
    help="PNG file to write, or - for standard output. [place-main.png, by the game]",
)
@click.option(
    "--region",
    type=RegionParameter(),
    metavar="X1,Y1,X2,Y2",
    help="Part of the board: its first and its last cell. [the whole board]",
)
@click.option(
    "--scale",
    type=click.IntRange(1, MAX_SCALE),
    default=1,
    show_default=True,
    help="Pixels that a cell is wide and high.",
)
@click.option("--force", is_flag=True, help="Overwrite FILE when it exists.")
def export(
    game: str,
    output: str | None,
    region: Region | None,
    scale: int,
    *,
    force: bool,
    **flags: Any,
) -> None:
    """Write the newest board as a PNG picture.

    Works beside a running server, and shows everything that was placed until then.
    """
    settings = loaded(flags).settings
    target = output or f"{game.replace('#', '-')}.png"
    check_target(target, force=force, binary=True)
    # Numpy, Pillow and the store are loaded only now: help and mistakes in flags come at once.
    from server.cli.board_reading import drawn, read_board  # noqa: PLC0415

    board = asyncio.run(read_board(settings, game))
    part = check_region(region, board.geometry)
    _check_scale(part, scale)
    picture = drawn(board, part, scale)
    with opened_output(target, force=force) as file:
        file.write(picture)
    if target != STANDARD:
        width, height = part.width * scale, part.height * scale
        click.echo(f"Wrote {game} at seq {board.seq}, {width} x {height} pixels, to {target}.")


def _check_scale(part: Region, scale: int) -> None:
    largest = largest_scale(part.width, part.height)
    if scale > largest:
        raise click.UsageError(
            f"--scale {scale} makes a picture of more than {MAX_SIDE} x {MAX_SIDE} pixels; for"
            f" {part.width} x {part.height} cells the largest is {largest}"
        )
