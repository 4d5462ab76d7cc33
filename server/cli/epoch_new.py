"""The steps of `tesserae epoch new`: look, ask, begin.

Owns what a person sees and is asked. Called by epoch.py once the flags are good.
"""

from random import SystemRandom

import click
from rich.console import Console

from server.care.epoch import begin_epoch
from server.cli.asking import confirm
from server.cli.progress import shown_progress
from server.cli.stores import complain, no_such_game, opened
from server.cli.surroundings import surroundings
from server.config import Settings
from server.game.epoch import new_epoch
from server.recovery.present import read_present
from server.recovery.reader import RecoveryEvents


async def run(settings: Settings, game: str, *, dry_run: bool, yes: bool) -> None:
    """Begin an epoch; raises what `exits.report` explains."""
    await _look(settings, game)
    if dry_run:
        click.echo("Nothing was changed: --dry-run.")
        return
    if not yes:
        confirm(f"Begin a new epoch of {game}?", f"begin a new epoch of {game}")
    with shown_progress("Reading the board", Console(stderr=True)) as advance:
        async with surroundings(settings, advance, complain) as around:
            begun = await begin_epoch(around, game, new_epoch(SystemRandom()))
    click.echo(f"{game} goes on at seq {begun.seq}, in epoch {begun.epoch} after {begun.before}.")


async def _look(settings: Settings, game: str) -> None:
    """Show what there is, beside whoever writes to it."""
    with shown_progress("Reading the board", Console(stderr=True)) as advance:
        async with opened(settings, read_only=True) as store:
            present = await read_present(store, game, RecoveryEvents(advance, complain))
            if present is None:
                raise await no_such_game(store, game, settings)
    replica = present.outcome.replica
    board = replica.lineage.geometry
    click.echo(
        f"{game} is {board.width} x {board.height} at seq {replica.seq}, in epoch {replica.epoch}."
        " In a new one every client takes the board anew; nothing else changes."
    )
