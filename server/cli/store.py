"""`tesserae store`: the care of what a server keeps.

Owns the group alone; each command is a file of its own and loads what it needs when it runs.
"""

import click

from server.cli.store_check import check
from server.cli.store_copy import copy


@click.group()
def store() -> None:
    """Look after what a server keeps."""


store.add_command(check)
store.add_command(copy)
