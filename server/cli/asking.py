"""Asking before something is changed; where nobody can be asked, that is refused.

Called by the commands that change a board or its epoch, once they have shown what would change.
"""

import sys

import click


def confirm(question: str, change: str) -> None:
    """Ask; raises Abort for a no, and ClickException with the way round where nobody is asked.

    `change` completes "give --yes to …".
    """
    if not sys.stdin.isatty():
        raise click.ClickException(
            f"give --yes to {change} without being asked; nothing was changed"
        )
    click.confirm(question, abort=True)
