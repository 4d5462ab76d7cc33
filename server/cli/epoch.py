"""`tesserae epoch`: what clients go by to know that a board is still the one they saw.

Owns the group and its only command, which asks before it changes anything. Called by main.py.
"""

import asyncio
from typing import Any

import click

from server.cli.options import STORE_NAMES, SettingsCommand, loaded, settings_options
from server.game.names import DEFAULT_GAME


@click.group()
def epoch() -> None:
    """Make every client take the board anew."""


@epoch.command("new", cls=SettingsCommand)
@settings_options(*STORE_NAMES)
@click.option("--game", default=DEFAULT_GAME, show_default=True, help="Game to begin an epoch of.")
@click.option("--dry-run", is_flag=True, help="Show what would change, and change nothing.")
@click.option("--yes", is_flag=True, help="Do not ask before the epoch is changed.")
def new(game: str, *, dry_run: bool, yes: bool, **flags: Any) -> None:
    """Begin a new epoch: every client takes a snapshot of the board anew.

    Needed when a backup was put back: clients may have seen placements that it does not have, and
    would take later ones for them. Board, history and numbers stay. Stop the server first;
    --dry-run works beside it.
    """
    settings = loaded(flags).settings
    # Numpy and the store are loaded only now: help and mistakes in flags come at once.
    from server.cli.epoch_new import run  # noqa: PLC0415

    asyncio.run(run(settings, game, dry_run=dry_run, yes=yes))
