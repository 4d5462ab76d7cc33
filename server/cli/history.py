"""`tesserae history`: what was placed, for other programs.

Owns the group alone; each command is a file of its own and loads what it needs when it runs.
"""

import click

from server.cli.history_export import export


@click.group()
def history() -> None:
    """Take the history of a board along."""


history.add_command(export)
