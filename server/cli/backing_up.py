"""The steps of `tesserae backup`: look, copy, check, and only then give it its name.

Owns the files: a backup that was broken off leaves nothing behind, and nothing is ever overwritten.
Called by backup.py once the flags are good.
"""

import asyncio
import os
import shutil
import tarfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO, Literal

import click
from rich.console import Console

from persistence.ports import Store
from server.access.secret import FILE_NAME
from server.care.backup import Backup, Moment, differences, moments
from server.care.check.store import Report, check_store
from server.cli.checking import tell
from server.cli.exits import DONE, FAILED
from server.cli.progress import Steps
from server.cli.stores import opened, place_of
from server.config import Settings

Packing = Literal["w", "w:gz"]
PACKED: dict[str, Packing] = {".tar": "w", ".tar.gz": "w:gz", ".tgz": "w:gz"}
OWN_MODE = 0o600
OWN_DIRECTORY_MODE = 0o700


async def run(settings: Settings, target: Path, *, dry_run: bool) -> int:
    """Back up; returns the exit code. Raises StoreError, ClickException."""
    _check_target(target)
    secret = _secret_of(settings)
    async with opened(settings, read_only=True) as source:
        with Steps(Console(stderr=True)) as steps:
            games = await moments(source, steps.advance)
        _check_any(games, settings)
        await _show(source, games, settings)
        if dry_run:
            click.echo("Nothing was written: --dry-run.")
            return DONE
        with _half(target) as half:
            report = await _copied(source, games, settings, half)
            await asyncio.to_thread(_finish, half, target, secret)
    return _told(report, games, target, secret)


async def _copied(source: Store, games: list[Moment], settings: Settings, half: Path) -> Report:
    """Copy into a data directory, close it, and read it back."""
    own = settings.model_copy(update={"store": "embedded", "data": half})
    with Steps(Console(stderr=True)) as steps:
        async with opened(own) as target:
            await Backup(source, target, steps.advance).write(games)
        async with opened(own) as target:  # to write, so that it leaves no log beside it
            return await check_store(target, None, steps.advance)


def _told(report: Report, games: list[Moment], target: Path, secret: Path | None) -> int:
    wrong = differences(games, report)
    for text in wrong:
        click.echo(f"damage: {text}")
    tell(report, str(target))
    told = f"with the signing secret of {secret}" if secret else "without a signing secret"
    click.echo(f"The backup is in {target}, {told}.")
    return FAILED if wrong or report.damages else DONE


async def _show(source: Store, games: list[Moment], settings: Settings) -> None:
    for moment in games:
        rows = await source.journal.count(moment.config.partitions)
        click.echo(
            f"{moment.game} in {place_of(settings)} is at seq {moment.seq:,}, with {rows:,} rows"
        )


def _check_any(games: list[Moment], settings: Settings) -> None:
    if not games:
        raise click.ClickException(
            f"there is no game in {place_of(settings)} to back up; name another store"
        )


# --- files -------------------------------------------------------------------


def _secret_of(settings: Settings) -> Path | None:
    """Find the secret that goes with the data; one that is given elsewhere is kept there."""
    path = settings.data / FILE_NAME
    elsewhere = settings.secret is not None or settings.secret_file is not None
    return None if elsewhere or not path.is_file() else path


def _check_target(target: Path) -> None:
    if target.exists() or target.is_symlink():
        raise click.UsageError(f"{target} exists, and no backup is overwritten; name another one")
    if not target.absolute().parent.is_dir():
        raise click.UsageError(f"{target.absolute().parent} is no directory; make it first")


@contextmanager
def _half(target: Path) -> Iterator[Path]:
    """Make a directory beside the target, which is gone when the block ends."""
    half = target.absolute().with_name(f".{target.name}.{os.getpid()}.part")
    try:
        half.mkdir(mode=OWN_DIRECTORY_MODE)
    except OSError as error:
        raise _unwritable(target, error) from error
    try:
        yield half
    finally:
        shutil.rmtree(half, ignore_errors=True)


def _finish(half: Path, target: Path, secret: Path | None) -> None:
    """Add the secret, and give the backup its name."""
    try:
        if secret is not None:
            with _own_file(half / FILE_NAME) as file:
                file.write(secret.read_bytes())
                os.fsync(file.fileno())
        mode = _packing(target)
        if mode is None:
            _check_target(target)  # it took a while
            half.rename(target)
        else:
            _pack(half, target, mode)
    except OSError as error:
        raise _unwritable(target, error) from error


def _packing(target: Path) -> Packing | None:
    """Return how a file is written; None for a directory."""
    return next((mode for end, mode in PACKED.items() if target.name.endswith(end)), None)


def _pack(half: Path, target: Path, mode: Packing) -> None:
    packed = half.with_suffix(".tar.part")
    try:
        with _own_file(packed) as file:
            with tarfile.open(fileobj=file, mode=mode) as archive:
                archive.add(half, arcname=target.name.partition(".tar")[0].removesuffix(".tgz"))
            file.flush()
            os.fsync(file.fileno())
        _check_target(target)
        packed.rename(target)
    finally:
        packed.unlink(missing_ok=True)


def _own_file(path: Path) -> BinaryIO:
    """Make a file that nobody else may read."""
    return os.fdopen(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, OWN_MODE), "wb")


def _unwritable(target: Path, error: OSError) -> click.ClickException:
    return click.ClickException(
        f"{target} cannot be written: {error.strerror or error}; choose another place"
    )
