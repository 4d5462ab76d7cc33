"""`tesserae version`: the version of the server."""

import click

from server import __version__


@click.command()
def version() -> None:
    """Print the version."""
    click.echo(f"tesserae {__version__}")
