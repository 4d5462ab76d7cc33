"""`tesserae restore`: the board as it was at an earlier point, after it was shown what is undone.

Owns the flags and the order: look, show, ask, restore. Looks beside a running server; restores only
where none runs. Called by main.py.
"""

import asyncio
from typing import Any

import click

from server.cli.options import STORE_NAMES, SettingsCommand, loaded, settings_options
from server.cli.output import check_target
from server.cli.parameters import PointParameter
from server.game.names import DEFAULT_GAME


@click.command("restore", cls=SettingsCommand)
@settings_options(*STORE_NAMES)
@click.option(
    "--to",
    "point",
    type=PointParameter(),
    required=True,
    metavar="SEQ|TIME",
    help="The number of the last event to be seen, or a moment: ISO 8601, or ms since 1970.",
)
@click.option("--game", default=DEFAULT_GAME, show_default=True, help="Game to restore.")
@click.option("--keep-palette", is_flag=True, help="Show the earlier board in today's colors.")
@click.option("--dry-run", is_flag=True, help="Show what would change, and change nothing.")
@click.option("--preview", metavar="FILE", help="PNG file to write the restored board to.")
@click.option("--force", is_flag=True, help="Overwrite the file of --preview when it exists.")
@click.option("--yes", is_flag=True, help="Do not ask before the board is changed.")
def restore(
    point: Any,
    game: str,
    preview: str | None,
    *,
    keep_palette: bool,
    dry_run: bool,
    force: bool,
    yes: bool,
    **flags: Any,
) -> None:
    """Make the board what it was at an earlier point.

    Nothing is taken away: the earlier board is laid over the present one by one new event, in a new
    epoch, and the whole history stays, as does a keyframe of the board that is replaced, so that a
    restoring can itself be undone. The board keeps its size; where it has grown since, it becomes
    empty. Stop the server first; --dry-run works beside it.
    """
    settings = loaded(flags).settings
    if preview is not None:
        check_target(preview, force=force, binary=True)
    # Numpy and the store are loaded only now: help and mistakes in flags come at once.
    from server.care.restore.plan import Wish  # noqa: PLC0415
    from server.cli.restoring import Asked, run  # noqa: PLC0415

    asked = Asked(Wish(game, point, keep_palette), preview, force, dry_run, yes)
    asyncio.run(run(asked, settings))
