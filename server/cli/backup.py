"""`tesserae backup`: a copy of everything, beside the server that goes on writing.

Owns the flags. Called by main.py.
"""

import asyncio
from pathlib import Path
from typing import Any

import click

from server.cli.options import STORE_NAMES, SettingsCommand, loaded, settings_options


@click.command("backup", cls=SettingsCommand)
@click.argument("target", type=click.Path(path_type=Path))
@settings_options(*STORE_NAMES, "secret_file")
@click.option("--dry-run", is_flag=True, help="Show what would be copied, and write nothing.")
def backup(target: Path, *, dry_run: bool, **flags: Any) -> int:
    """Copy everything that was acknowledged into a data directory of its own, and check it.

    TARGET is a directory that is not there yet, or a file that ends in .tar or .tar.gz. Both stores
    are copied alike, beside a running server; what is placed meanwhile is not in it. With it goes
    the signing secret, where the data directory has one: treat a backup like a password. Exit code
    1 when something in the copy is damaged, which is told.
    """
    settings = loaded(flags).settings
    # Numpy and the store are loaded only now: help and mistakes in flags come at once.
    from server.cli.backing_up import run  # noqa: PLC0415

    return asyncio.run(run(settings, target, dry_run=dry_run))
