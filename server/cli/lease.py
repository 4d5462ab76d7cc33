"""`tesserae lease`: the right to be the one server that writes to a store.

Owns the group and its only command, which reads alone. Called by main.py.
"""

import asyncio
from typing import Any

import click

from server.cli.options import STORE_NAMES, SettingsCommand, loaded, settings_options


@click.group()
def lease() -> None:
    """See which server writes to a store."""


@lease.command("show", cls=SettingsCommand)
@settings_options(*STORE_NAMES)
@click.option("--json", "as_json", is_flag=True, help="Print it as JSON.")
def show(*, as_json: bool, **flags: Any) -> None:
    """Show who has the right to write, where it is reached, its fence, and until when it has it.

    Works beside the server, takes nothing, and writes nothing.
    """
    settings = loaded(flags).settings
    # The store is loaded only now: help and mistakes in flags come at once.
    from server.cli.lease_show import run  # noqa: PLC0415

    asyncio.run(run(settings, as_json=as_json))
