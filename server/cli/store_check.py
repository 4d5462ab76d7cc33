"""`tesserae store check`: whether everything in a store is whole, and what helps where it is not.

Owns the flags. Takes no lease and works beside a running server, and changes nothing. Called by the
group `store`.
"""

import asyncio
from typing import Any

import click

from server.cli.options import STORE_NAMES, SettingsCommand, loaded, settings_options


@click.command("check", cls=SettingsCommand)
@settings_options(*STORE_NAMES)
@click.option("--game", help="Game to check. [every game, and all tables]")
@click.option("--json", "as_json", is_flag=True, help="Print the findings as JSON.")
def check(game: str | None, *, as_json: bool, **flags: Any) -> int:
    """Check that everything in a store is whole: history, boards, pictures, settings, tables.

    Reads all of it, follows the history from the first board to the newest one, and compares each
    snapshot with what it leads to: so it finds what no start notices. Works beside a running server
    and changes nothing. Exit code 0 when the store is sound, 1 when something is damaged.
    """
    settings = loaded(flags).settings
    # Numpy and the store are loaded only now: help and mistakes in flags come at once.
    from server.cli.checking import run  # noqa: PLC0415

    return asyncio.run(run(settings, game, as_json=as_json))
