"""Where an export goes: a file that is there only once it is whole, or standard output.

Owns that nothing is overwritten unasked and that a broken off export leaves nothing behind. Knows
no format. Called by the commands that export.
"""

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO

import click

STANDARD = "-"


def check_target(target: str, *, force: bool, binary: bool) -> None:
    """Refuse before any work what could not be written. Raises ClickException with the remedy."""
    if target == STANDARD:
        if binary and sys.stdout.isatty():
            raise click.UsageError("this is no text for a terminal; give -o FILE, or pipe it on")
        return
    path = Path(target)
    if path.is_dir():
        raise click.UsageError(f"{path} is a directory; name a file in it with -o")
    if path.exists() and not force:
        raise click.UsageError(f"{path} exists; give another name with -o, or --force")
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
    half = path.with_name(f".{path.name}.{os.getpid()}.part")
    try:
        with half.open("wb") as file:
            yield file
            file.flush()
            os.fsync(file.fileno())
        check_target(target, force=force, binary=False)  # it took a while
        half.replace(path)
    except OSError as error:
        if error.filename is None or Path(error.filename) == half:
            raise click.ClickException(
                f"{path} cannot be written: {error.strerror}; choose another place with -o"
            ) from error
        raise
    finally:
        half.unlink(missing_ok=True)


@contextmanager
def _standard_output() -> Iterator[BinaryIO]:
    try:
        yield sys.stdout.buffer
        sys.stdout.buffer.flush()
    except BrokenPipeError as error:
        # Whoever reads has enough; else the interpreter would complain once more when it ends.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        raise click.exceptions.Exit(1) from error
