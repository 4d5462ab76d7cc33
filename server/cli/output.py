"""Where an export goes: a file that is there only once it is whole, or standard output.

Owns that nothing is overwritten unasked and that a broken off export leaves nothing behind. What is
no file, a named pipe or a device, is written to and never replaced; a link stays, and what it leads
to is written. Knows no format. Called by the commands that export.
"""

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO

import click

STANDARD = "-"
MAX_NAME_BYTES = 200
"""File systems take 255; the name of the half file is somewhat longer."""


def check_target(target: str, *, force: bool, binary: bool) -> None:
    """Refuse before any work what could not be written. Raises ClickException with the remedy."""
    if target == STANDARD:
        if binary and sys.stdout.isatty():
            raise click.UsageError("this is no text for a terminal; give -o FILE, or pipe it on")
        return
    path = Path(target)
    if path.is_dir():
        raise click.UsageError(f"{path} is a directory; name a file in it with -o")
    if path.is_file() and not force:
        raise click.UsageError(f"{path} exists; give another name with -o, or --force")
    if len(path.name.encode()) > MAX_NAME_BYTES:
        raise click.UsageError(f"{path.name} is too long for a name; give a shorter one with -o")
    if not path.parent.is_dir():
        raise click.UsageError(f"{path.parent} is no directory; make it first")


@contextmanager
def opened_output(target: str, *, force: bool) -> Iterator[BinaryIO]:
    """Open a file that takes its name when the block ends well, or standard output."""
    if target == STANDARD:
        with _standard_output() as file:
            yield file
        return
    path = Path(target)
    try:
        if path.exists() and not path.is_file():
            with path.open("wb") as file:
                yield file
        else:
            with _whole_file(path.resolve(), force=force) as file:
                yield file
    except BrokenPipeError as error:
        raise click.exceptions.Exit(1) from error  # whoever reads has enough
    except OSError as error:
        if error.filename is not None and not _is_beside(Path(error.filename), path):
            raise
        raise _unwritable(target, error) from error


def _is_beside(path: Path, other: Path) -> bool:
    return path.resolve().parent == other.resolve().parent


@contextmanager
def _whole_file(path: Path, *, force: bool) -> Iterator[BinaryIO]:
    half = path.with_name(f".{path.name}.{os.getpid()}.part")
    try:
        with half.open("wb") as file:
            yield file
            file.flush()
            os.fsync(file.fileno())
        check_target(str(path), force=force, binary=False)  # it took a while
        half.replace(path)
    finally:
        half.unlink(missing_ok=True)


def _unwritable(target: str, error: OSError) -> click.ClickException:
    place = "standard output" if target == STANDARD else target
    return click.ClickException(
        f"{place} cannot be written: {error.strerror or error}; choose another place with -o"
    )


@contextmanager
def _standard_output() -> Iterator[BinaryIO]:
    try:
        yield sys.stdout.buffer
        sys.stdout.buffer.flush()
    except OSError as error:
        # Else the interpreter would try, and complain, once more when it ends.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        if isinstance(error, BrokenPipeError):  # whoever reads has enough
            raise click.exceptions.Exit(1) from error
        raise _unwritable(STANDARD, error) from error
