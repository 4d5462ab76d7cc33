"""`tesserae canvas`: pictures into boards, and out of them.

Owns the group alone; each command is a file of its own and loads what it needs when it runs.
"""

import click

from server.cli.canvas_export import export
from server.cli.canvas_import import import_


@click.group()
def canvas() -> None:
    """Bring pictures into boards, and take them out."""


canvas.add_command(import_)
canvas.add_command(export)
