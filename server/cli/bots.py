"""`tesserae bots`: the scripted players, or what to install when their library is missing.

Loads the click group of the package `bots` when it is asked for; nothing else of the server knows
that package.
"""

from importlib.util import find_spec
from pkgutil import resolve_name

import click

LIBRARY = "tesserae_client"
GROUP = "bots.cli:bots"


@click.command(context_settings={"ignore_unknown_options": True, "allow_extra_args": True})
def missing() -> None:
    """Run scripted players against a server."""
    raise click.UsageError(
        "The bots stand on the client library, which is not installed. "
        "Run: pip install 'tesserae[bots]'"
    )


def bots() -> click.Command:
    """Find the group of the bots, or a command that says what is missing."""
    if find_spec(LIBRARY) is None:
        return missing
    command: click.Command = resolve_name(GROUP)
    return command
