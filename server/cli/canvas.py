"""`tesserae canvas`: pictures into boards.

Owns the group alone; each command is a file of its own and loads what it needs when it runs.
"""

import click

from server.cli.canvas_import import import_


@click.group()
def canvas() -> None:
    """Bring pictures into boards."""


canvas.add_command(import_)
