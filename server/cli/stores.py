"""Stores as commands open them, and the games in them.

Owns that a command which only reads takes no lock. What opens a store is loaded only when it is
asked for, so that help and mistakes in flags come at once.
"""

from collections.abc import Callable
from contextlib import AbstractAsyncContextManager
from pkgutil import resolve_name

import click

from persistence.ports import Store
from persistence.tables import CONFIG
from server.clock import SystemClock
from server.config import Settings
from server.game.config import PARTITION
from server.game.names import game_of_sort_key

STORES = "server.app:STORES"


def opened(settings: Settings, *, read_only: bool = False) -> AbstractAsyncContextManager[Store]:
    """Open the store: locked, or for reading alone beside whoever writes to it."""
    stores: dict[str, Callable[..., AbstractAsyncContextManager[Store]]] = resolve_name(STORES)
    clock = SystemClock()
    return stores[settings.store](settings.data, wall_ms=clock.wall_ms, read_only=read_only)


async def no_such_game(store: Store, game: str, settings: Settings) -> click.ClickException:
    """Say which games there are in place of one that is not there."""
    page = await store.tables.query(CONFIG, PARTITION)
    names = [game_of_sort_key(item["SK"]) for item in page.items]
    told = f"there are: {', '.join(names)}" if names else "there is none yet"
    return click.ClickException(f"there is no game {game} in {settings.data}; {told}")
