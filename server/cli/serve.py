"""`tesserae serve`: checks the configuration, then loads the server and runs it to its end."""

from pkgutil import resolve_name
from typing import Any

import click

from server.cli.options import SettingsCommand, loaded, settings_options

# Loaded only once the configuration is good: errors and help come at once.
RUN = "server.app:run"


@click.command(cls=SettingsCommand)
@settings_options()
def serve(**flags: Any) -> int:
    """Serve canvases until stopped.

    Every flag is also an environment variable (--max-connections is TESSERAE_MAX_CONNECTIONS) and
    a key of the TOML file. Limits are off at 0. TESSERAE_SECRET and TESSERAE_METRICS_TOKEN have no
    flag: a command line is no place for a secret.
    """
    settings = loaded(flags).settings
    exit_code: int = resolve_name(RUN)(settings)
    return exit_code
