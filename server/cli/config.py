"""`tesserae config`: shows what would be in force, and the reference of all settings.

Only reads: it takes no lock, makes no file, and works beside a running server.
"""

from typing import Any

import click

from server.access.secret import missing, open_secret
from server.cli.options import SettingsCommand, loaded, settings_options
from server.config.render import to_markdown, to_toml


@click.group()
def config() -> None:
    """Check and explain the configuration."""


@config.command(cls=SettingsCommand)
@settings_options()
def check(**flags: Any) -> None:
    """Print the effective configuration as TOML, and where each value comes from.

    Takes the flags of serve. Secrets are masked. Errors are told all at once, with exit code 2.
    """
    configuration = loaded(flags)
    if configuration.settings.store == "aws" or missing(configuration.settings) is None:
        open_secret(configuration.settings)
    click.echo(to_toml(configuration), nl=False)


@config.command()
def reference() -> None:
    """Print the reference of all settings as Markdown."""
    click.echo(to_markdown(), nl=False)
