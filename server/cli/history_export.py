"""`tesserae history export`: all placements, or some, as CSV, JSON lines or Parquet.

Owns the flags. Takes no lock and works beside a running server, and changes nothing. Called by the
group `history`.
"""

import asyncio
import secrets
from pathlib import Path
from typing import Any

import click

from server.cli.options import PLACE_NAMES, SettingsCommand, loaded, settings_options
from server.cli.output import STANDARD, check_target
from server.cli.parameters import MomentParameter, RegionParameter
from server.game.names import DEFAULT_GAME

FORMATS = ("csv", "jsonl", "parquet")
PSEUDONYM_KEY_BYTES = 32


@click.command("export", cls=SettingsCommand)
@settings_options(*PLACE_NAMES)
@click.option("--game", default=DEFAULT_GAME, show_default=True, help="Game to export from.")
@click.option(
    "--format",
    "format_",
    type=click.Choice(FORMATS),
    help="Format of the file. [what FILE ends in, else csv]",
)
@click.option(
    "-o",
    "--output",
    default=STANDARD,
    metavar="FILE",
    help="File to write; by default, or with -, standard output.",
)
@click.option(
    "--since", type=MomentParameter(), metavar="TIME", help="First moment, such as 2026-11-30."
)
@click.option("--until", type=MomentParameter(), metavar="TIME", help="Last moment, included.")
@click.option("--user", metavar="ID", help="Only what this user placed.")
@click.option(
    "--region",
    type=RegionParameter(),
    metavar="X1,Y1,X2,Y2",
    help="Only what lies in this part of today's board: its first and its last cell.",
)
@click.option(
    "--anonymous",
    is_flag=True,
    help="Pseudonyms in place of user ids: the same user has the same one within this file alone.",
)
@click.option("--force", is_flag=True, help="Overwrite FILE when it exists.")
def export(format_: str | None, output: str, *, force: bool, **flags: Any) -> None:
    """Write placements, oldest first, as CSV, JSON lines or Parquet.

    Works beside a running server, and has everything that was placed until it began. Addresses are
    never in it, nor keys made of them.
    """
    names = (*PLACE_NAMES, "config_file")
    settings = loaded({name: flags.pop(name) for name in names}).settings
    chosen = format_ or _format_of(output)
    check_target(output, force=force, binary=chosen == "parquet")
    if None not in (flags["since"], flags["until"]) and flags["since"] > flags["until"]:
        raise click.UsageError("--since lies after --until; exchange the two")
    # The store is loaded only now: help and mistakes in flags come at once.
    from server.cli.history_reading import Wish, write_history  # noqa: PLC0415

    key = secrets.token_bytes(PSEUDONYM_KEY_BYTES) if flags.pop("anonymous") else None
    wish = Wish(**flags, format=chosen, output=output, force=force, pseudonym_key=key)
    count = asyncio.run(write_history(settings, wish))
    told = "standard output" if output == STANDARD else output
    click.echo(f"Wrote {count:,} placements to {told}.", err=True)


def _format_of(output: str) -> str:
    ending = Path(output).suffix.removeprefix(".").lower()
    return ending if ending in FORMATS else FORMATS[0]
