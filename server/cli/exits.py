"""The one place where an exception becomes a message, a hint and an exit code.

    0  done, or stopped cleanly
    2  usage or configuration
    3  the store is damaged or in use, or another server took it over
    1  anything else

No traceback is shown unless `--debug` asks for it. Called by main.py alone.
"""

import traceback

import click

from persistence.errors import LeaseLost, StoreDamaged, StoreInUse
from server.problems import ConfigurationError

DONE = 0
FAILED = 1
USAGE = 2
STORE = 3

DEBUG_HINT = "`tesserae --debug …` shows where it happened."


def report(error: BaseException, *, debug: bool) -> int:
    """Tell the person at the terminal what went wrong and what helps; return the exit code."""
    if debug:
        click.echo("".join(traceback.format_exception(error)), err=True)
    if isinstance(error, click.ClickException):
        error.show()
    elif isinstance(error, click.Abort | KeyboardInterrupt):
        click.echo("Aborted.", err=True)
    else:
        _tell(_message(error), _hints(error))
    return exit_code_of(error)


def exit_code_of(error: BaseException) -> int:
    """Return the exit code that an exception stands for."""
    if isinstance(error, ConfigurationError | click.UsageError):
        return USAGE
    if isinstance(error, StoreDamaged | StoreInUse | LeaseLost):
        return STORE
    return FAILED


def _message(error: BaseException) -> str:
    if isinstance(error, ConfigurationError):
        count = len(error.problems)
        return "The configuration cannot be used" + (f" ({count} problems):" if count > 1 else ":")
    if hasattr(error, "hint"):
        return str(error)
    return f"{type(error).__name__}: {error}" if str(error) else type(error).__name__


def _hints(error: BaseException) -> list[str]:
    if isinstance(error, ConfigurationError):
        return [str(problem) for problem in error.problems]
    hint = getattr(error, "hint", DEBUG_HINT)
    return [hint] if hint else []


def _tell(message: str, hints: list[str]) -> None:
    click.secho(f"Error: {message}", fg="red", err=True)
    for hint in hints:
        click.echo(f"  {hint}", err=True)
