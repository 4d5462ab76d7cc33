"""Stores as commands open them, and the games in them.

Owns that a command which only reads takes no lock. What opens a store is loaded only when it is
asked for, so that help and mistakes in flags come at once.
"""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pkgutil import resolve_name

import click

from persistence.errors import StoreError
from persistence.opening import OpeningEvents
from persistence.ports import Store
from persistence.tables import CONFIG
from server.clock import SystemClock
from server.config import Settings
from server.game.config import PARTITION
from server.game.names import game_of_sort_key

OPENER = "server.openers:open_for_command"


@asynccontextmanager
async def opened(
    settings: Settings, *, read_only: bool = False, waits_out: bool = False
) -> AsyncIterator[Store]:
    """Open the store: to write, or for reading alone beside whoever writes to it.

    With `waits_out` its calls are repeated for a while when it is away.

    Who writes takes the lease first, and never waits for it. Raises StoreError.
    """
    opener = resolve_name(OPENER)
    events = OpeningEvents(_tell_away, _tell_held, complain)
    async with opener(
        settings, SystemClock(), events, read_only=read_only, waits_out=waits_out
    ) as store:
        yield store


def _tell_away(fault: StoreError, left: float) -> None:
    click.echo(f"{fault}; trying for {left:.0f} s more", err=True)


def _tell_held(holder: str, seconds: float) -> None:
    click.echo(f"Looking for up to {seconds:.0f} s whether {holder} still writes", err=True)


def complain(fault: StoreError) -> None:
    """Say what went wrong while the command goes on, and what helps."""
    click.echo(f"{fault}. {fault.hint}", err=True)


def place_of(settings: Settings) -> str:
    """Say in words where the store is."""
    if settings.store == "aws":
        return f"stage {settings.stage} on AWS"
    return str(settings.data)


async def no_such_game(store: Store, game: str, settings: Settings) -> click.ClickException:
    """Say which games there are in place of one that is not there."""
    page = await store.tables.query(CONFIG, PARTITION)
    names = [game_of_sort_key(item["SK"]) for item in page.items]
    told = f"there are: {', '.join(names)}" if names else "there is none yet"
    return click.ClickException(f"there is no game {game} in {place_of(settings)}; {told}")
