"""The steps of `tesserae store copy`: look at both stores, show, copy, tell.

Owns what a person sees. Called by store_copy.py once the flags are good.
"""

import asyncio
from dataclasses import dataclass
from random import SystemRandom

import click
from rich.console import Console

from persistence.errors import LeaseLost, NoStore, TransientFault
from server.access.secret import FILE_NAME
from server.care.copy.copying import Copied, Copying, check_target, copy_store
from server.care.copy.plan import Amount, SourceGame, amount_of, read_games
from server.cli.progress import Steps
from server.cli.stores import complain, opened, place_of
from server.config import Settings
from server.game.epoch import new_epoch
from server.recovery.reader import RecoveryEvents


@dataclass(frozen=True, slots=True)
class Places:
    """Where both stores are."""

    source: Settings
    target: Settings


async def run(places: Places, *, dry_run: bool) -> None:
    """Copy, or show what would be copied. Raises StoreError, UsageError."""
    _check_apart(places)
    with Steps(Console(stderr=True)) as steps:
        if dry_run:
            await _look(places, steps)
        else:
            copied = await _copy_or_tell(places, steps)
    if not dry_run:
        _tell(copied, places)


def _check_apart(places: Places) -> None:
    source, target = places.source, places.target
    if (source.store, target.store) == ("embedded", "embedded"):
        if source.data.resolve() == target.data.resolve():
            raise click.UsageError(f"--from and --to are both {source.data}; name two stores")
    elif source.store == target.store:
        if (source.stage, source.table_prefix) == (target.stage, target.table_prefix):
            raise click.UsageError(f"--from and --to are both stage {source.stage}; name two")
        if source.bucket == target.bucket:
            raise click.UsageError(
                f"both stages have the bucket {source.bucket}, and each needs one of its own:"
                " write --from aws:STAGE/BUCKET and --to aws:STAGE/BUCKET"
            )


async def _look(places: Places, steps: Steps) -> None:
    async with opened(places.source, read_only=True) as store:
        games = await read_games(store, _events(steps))
        amount = await amount_of(store, games, steps.advance)
    resumed = await _resumes(places, games)
    steps.close()
    _show(amount, places, resumed=resumed)


async def _resumes(places: Places, games: list[SourceGame]) -> bool:
    try:
        async with opened(places.target, read_only=True) as store:
            return await check_target(store, games) is not None
    except NoStore:
        return False


async def _copy_or_tell(places: Places, steps: Steps) -> Copied:
    try:
        return await _copy(places, steps)
    except (asyncio.CancelledError, LeaseLost, TransientFault):
        click.echo("Broken off. Run the same command again: it goes on where it was.", err=True)
        raise


async def _copy(places: Places, steps: Steps) -> Copied:
    # The source first: a name that was mistaken makes no directory.
    async with opened(places.source, read_only=True):
        pass
    async with (
        opened(places.source, waits_out=True) as source,
        opened(places.target, waits_out=True) as target,
    ):
        copying = Copying(
            source,
            target,
            place_of(places.source),
            new_epoch(SystemRandom()),
            steps.advance,
            _events(steps),
        )
        return await copy_store(copying)


def _events(steps: Steps) -> RecoveryEvents:
    def progress(done: int, total: int) -> None:
        steps.advance("Reading the source's games", done, total)

    return RecoveryEvents(progress, complain)


def _show(amount: Amount, places: Places, *, resumed: bool) -> None:
    click.echo(f"{place_of(places.source)} has:")
    for game, seq in amount.games.items():
        click.echo(f"  {game} at seq {seq:,}")
    click.echo(f"  {amount.history:,} items of history and {amount.blobs:,} blobs")
    others = ", ".join(f"{count:,} of {name}" for name, count in amount.items.items() if count)
    click.echo(f"  {others}")
    if resumed:
        click.echo(f"A copy of it to {place_of(places.target)} is begun; it would go on.")
    if places.target.store == "aws":
        click.echo(f"Writing it costs about ${amount.dollars:.2f}, at the prices of us-east-1.")
    click.echo("Nothing was changed: --dry-run.")


def _tell(copied: Copied, places: Places) -> None:
    source, target = place_of(places.source), place_of(places.target)
    for part in copied.parts:
        if part.items:
            click.echo(f"  {part.what}: {part.items:,}, alike ({part.digest})")
    for game in copied.games:
        click.echo(f"  {game.config.game} at seq {game.seq:,}")
    goes_on = " by going on with a copy that had broken off" if copied.resumed else ""
    click.echo(
        f"{target} is a whole copy of {source}{goes_on}: {copied.written:,} items were written."
    )
    secret = places.source.data / FILE_NAME
    if places.source.store == "embedded" and secret.exists():
        click.echo(f"The signing secret is no part of it: take {secret} along.")
    click.echo(f"Start no server on {source} any more: the two would go apart.")
