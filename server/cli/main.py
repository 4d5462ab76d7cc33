"""The command `tesserae`: finds the subcommand, loads only that, and ends with its exit code.

Owns the list of commands and their order. Imports neither the server nor the store, so that help
comes at once. Entry point of the distribution.
"""

import sys
from collections.abc import Callable, Sequence
from pkgutil import resolve_name
from typing import NamedTuple

import click

from server import __version__
from server.cli.exits import report


class Entry(NamedTuple):
    """A subcommand that is not loaded yet: the command, or a function that finds it."""

    target: str
    help: str


COMMANDS = {
    "serve": Entry("server.cli.serve:serve", "Serve canvases until stopped."),
    "token": Entry("server.cli.token:token", "Print a token for a player, an operator or a bot."),
    "health": Entry("server.cli.health:health", "Ask a server whether it lives, or is ready."),
    "config": Entry("server.cli.config:config", "Check and explain the configuration."),
    "game": Entry("server.cli.game:game", "Found games beside the first, end and archive them."),
    "canvas": Entry("server.cli.canvas:canvas", "Bring pictures into boards, and take them out."),
    "history": Entry("server.cli.history:history", "Take the history of a board along."),
    "restore": Entry("server.cli.restore:restore", "Make a board what it was at an earlier point."),
    "store": Entry("server.cli.store:store", "Look after what a server keeps."),
    "tables": Entry("server.cli.tables:tables", "Make and check the tables of the AWS store."),
    "lease": Entry("server.cli.lease:lease", "See which server writes to a store."),
    "backup": Entry("server.cli.backup:backup", "Copy everything, beside the running server."),
    "epoch": Entry("server.cli.epoch:epoch", "Make every client take the board anew."),
    "bots": Entry("server.cli.bots:bots", "Run scripted players against a server."),
    "version": Entry("server.cli.version:version", "Print the version."),
}


class LazyGroup(click.Group):
    """A group whose commands are imported when they are run."""

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002 - click's signature
        """Return the names in the order of the table."""
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:  # noqa: ARG002
        """Import the command; None when there is none of that name."""
        entry = COMMANDS.get(cmd_name)
        if entry is None:
            return None
        found: click.Command | Callable[[], click.Command] = resolve_name(entry.target)
        return found if isinstance(found, click.Command) else found()

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:  # noqa: ARG002
        """List the commands without importing any."""
        with formatter.section("Commands"):
            formatter.write_dl([(name, entry.help) for name, entry in COMMANDS.items()])


@click.group(cls=LazyGroup, context_settings={"help_option_names": ["-h", "--help"]})
@click.option("--debug", is_flag=True, help="Show the traceback of an error.")
@click.version_option(__version__, message="tesserae %(version)s")
def tesserae(*, debug: bool) -> None:
    """Serve shared pixel canvases in real time: place, watch, and lose nothing."""
    click.get_current_context().obj = debug


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command line (by default the process's) and return its exit code."""
    words = list(sys.argv[1:] if arguments is None else arguments)
    try:
        result = tesserae.main(words, prog_name="tesserae", standalone_mode=False)
    except (Exception, KeyboardInterrupt) as error:  # noqa: BLE001 - the edge of the process
        return report(error, debug="--debug" in words)
    return result if isinstance(result, int) else 0
