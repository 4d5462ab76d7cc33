"""`tesserae game`: the games of a running server, founded, listed, ended, reopened and archived.

Owns the group and its flags; what they do is game_steps.py's.
"""

import asyncio
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

import click

from server.cli.options import STORE_NAMES, SettingsCommand, loaded, settings_options
from server.cli.parameters import SizeParameter

Function = TypeVar("Function", bound=Callable[..., Any])
PLACE = (*STORE_NAMES, "secret_file", "config_file")
LONGEST_TITLE = 80


@click.group()
def game() -> None:
    """Found games beside the first one, list, end, reopen and archive them.

    Each command goes through the running server: the one that holds --data, or --url.
    """


def _of_server(function: Function) -> Function:
    """Give a command the flags by which a server is found."""
    for add in (
        click.option(
            "--token-file",
            type=click.Path(path_type=Path),
            metavar="FILE",
            help="File with the token of an admin there.",
        ),
        click.option("--url", metavar="URL", help="A server elsewhere, instead of --data."),
        settings_options(*STORE_NAMES, "secret_file"),
    ):
        function = add(function)
    return function


def _run(step: str, flags: dict[str, Any]) -> None:
    if (flags["url"] is None) != (flags["token_file"] is None):
        raise click.UsageError("--url and --token-file go together; give both, or --data")
    settings = loaded({name: flags.pop(name) for name in PLACE}).settings
    from server.cli import game_steps  # noqa: PLC0415  # the store is loaded only now

    asyncio.run(getattr(game_steps, step)(settings, **flags))


@game.command(cls=SettingsCommand)
@click.argument("name")
@click.option("--title", default="", metavar="TEXT", help="What people read.")
@click.option(
    "--size", type=SizeParameter(), default="960x540", show_default=True, help="Of the board."
)
@click.option(
    "--palette", type=click.Path(path_type=Path), metavar="FILE", help="Palette file. [the usual]"
)
@click.option(
    "--cooldown-ms",
    type=click.IntRange(min=0),
    default=300_000,
    show_default=True,
    help="Time between two placements of one user.",
)
@click.option(
    "--cooldown-stack",
    type=click.IntRange(min=1),
    default=1,
    show_default=True,
    help="Placements that may be saved up.",
)
@_of_server
def create(**flags: Any) -> None:
    """Found the game NAME, such as place#garden; it runs at once."""
    _run("create", flags)


@game.command("list", cls=SettingsCommand)
@click.option("--json", "as_json", is_flag=True, help="For other programs.")
@_of_server
def list_(**flags: Any) -> None:
    """List all games, newest first."""
    _run("list_games", flags)


@game.command(cls=SettingsCommand)
@click.argument("name")
@click.option("--yes", is_flag=True, help="Do not ask.")
@_of_server
def end(**flags: Any) -> None:
    """End a game now: nothing is placed any more, and everybody may look on."""
    _run("end", flags)


@game.command(cls=SettingsCommand)
@click.argument("name")
@_of_server
def reopen(**flags: Any) -> None:
    """Let a game that has ended, or was archived, go on where it was."""
    _run("reopen", flags)


@game.command(cls=SettingsCommand)
@click.argument("name")
@click.option("--yes", is_flag=True, help="Do not ask.")
@_of_server
def archive(**flags: Any) -> None:
    """Put away a game that has ended; everything of it is kept."""
    _run("archive", flags)
