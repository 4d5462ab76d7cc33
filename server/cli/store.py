"""`tesserae store`: the care of what a server keeps.

Owns the group alone; each command is a file of its own and loads what it needs when it runs.
"""

import click

from server.cli.store_check import check


@click.group()
def store() -> None:
    """Look after what a server keeps."""


store.add_command(check)
