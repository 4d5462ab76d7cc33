"""The steps of `tesserae restore`, and its words.

Owns what a person sees and is asked; decides nothing of the restoring itself. Called by restore.py
once the flags are good.
"""

from dataclasses import dataclass
from random import SystemRandom

import click
from rich.console import Console

from pictures.drawing import draw
from server.care.restore.carrying import restore
from server.care.restore.plan import PLACEMENT, CannotRestore, Plan, Wish, make_plan
from server.care.restore.point import told
from server.cli.asking import confirm
from server.cli.output import opened_output
from server.cli.progress import shown_progress
from server.cli.stores import complain, no_such_game, opened
from server.cli.surroundings import surroundings
from server.clock import SystemClock
from server.config import Settings
from server.game.epoch import new_epoch
from server.recovery.reader import RecoveryEvents

KINDS = {
    PLACEMENT: "pixels",
    "resize": "growths, whose room stays and becomes empty",
    "settings": "changes of settings, which stay in force",
    "base": "pictures",
}


@dataclass(frozen=True, slots=True)
class Asked:
    """The flags of the command."""

    wish: Wish
    preview: str | None
    force: bool
    dry_run: bool
    yes: bool


async def run(asked: Asked, settings: Settings) -> None:
    """Restore; raises what `exits.report` explains."""
    try:
        await _run(asked, settings)
    except CannotRestore as error:
        raise click.ClickException(str(error)) from error


async def _run(asked: Asked, settings: Settings) -> None:
    plan = await _plan(asked.wish, settings)
    _show(plan)
    if asked.preview is not None:
        with opened_output(asked.preview, force=asked.force) as file:
            file.write(draw(plan.cells, plan.palette.rgb))
        click.echo(f"The restored board is drawn in {asked.preview}.", err=True)
    if asked.dry_run:
        click.echo("Nothing was changed: --dry-run.")
        return
    if not asked.yes:
        confirm(f"Restore {plan.game}?", f"change {plan.differing:,} cells of {plan.game}")
    seq = await _restored(plan, settings)
    click.echo(f"{plan.game} is as it was at seq {plan.seq}; that is event {seq} of a new epoch.")
    click.echo(f"To undo it: tesserae restore --to {plan.newest_seq}, with the same flags.")


async def _plan(wish: Wish, settings: Settings) -> Plan:
    with shown_progress("Reading both boards", Console(stderr=True)) as advance:
        async with opened(settings, read_only=True) as store:
            events = RecoveryEvents(advance, complain)
            plan = await make_plan(store, wish, SystemClock().wall_ms(), events)
            if plan is None:
                raise await no_such_game(store, wish.game, settings)
    return plan


async def _restored(plan: Plan, settings: Settings) -> int:
    with shown_progress("Reading the board", Console(stderr=True)) as advance:
        async with surroundings(settings, advance, complain) as around:
            event = await restore(around, plan, new_epoch(SystemRandom()))
    return event.seq


def _show(plan: Plan) -> None:
    then, now = plan.then, plan.frame
    click.echo(
        f"{plan.game}, from seq {plan.newest_seq} back to {plan.seq}, of {told(plan.at_ms)}:"
    )
    click.echo(f"  {plan.differing:,} of {now.cells:,} cells change")
    if then != now:
        click.echo(
            f"  the board was {then.width} x {then.height} then and stays {now.width} x"
            f" {now.height}: the rest becomes empty"
        )
    for kind, words in KINDS.items():
        if count := plan.undone.get(kind):
            click.echo(f"  undone: {count:,} {words}")
    if plan.sets_palette:
        click.echo("  the palette becomes what it was then")
