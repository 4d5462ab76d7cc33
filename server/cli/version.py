"""`tesserae version`: the version of the installed distribution."""

from importlib.metadata import version as installed

import click


@click.command()
def version() -> None:
    """Print the version."""
    click.echo(f"tesserae {installed('tesserae')}")
