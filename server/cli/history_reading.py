"""The history of a data directory, read from its beginning and written in a format.

Owns what is exported: what was published when it began, of writers that count, without holes. Reads
in pages and keeps none. Called by history_export.py.
"""

import hashlib
import sys
from collections.abc import AsyncIterator
from dataclasses import dataclass, field
from functools import partial
from typing import Any, NamedTuple

from rich.console import Console

from canvas.geometry import Geometry
from canvas.region import Region
from persistence.errors import StoreDamaged
from persistence.ports import Item, Lookback, Rectangle, Store
from server.cli.export_formats import Format, format_named
from server.cli.output import opened_output
from server.cli.parameters import check_region
from server.cli.progress import Advance, Steps
from server.cli.stores import no_such_game, opened
from server.config import Settings
from server.game.config import GameConfig
from server.game.history import time_key
from server.game.placements import is_placement, lies_in, original_area, placement_entry
from server.game.writers import Writers
from server.recovery.present import read_present
from server.recovery.reader import RESTORE, RecoveryEvents, RecoveryReader

PSEUDONYM_BYTES = 8
END = "Reading the newest board"


@dataclass(frozen=True, slots=True)
class Wish:
    """The flags of the command."""

    game: str
    format: str
    output: str
    force: bool
    since: int | None
    until: int | None
    """Both in ms, both included."""
    user: str | None
    region: Region | None
    pseudonym_key: bytes | None = field(repr=False)
    """None: user ids are exported as they are."""


async def write_history(settings: Settings, wish: Wish) -> int:
    """Write what is wished for; returns how many placements. Raises StoreError, ClickException."""
    make = format_named(wish.format)  # before anything is read: a library may be missing
    with Steps(Console(stderr=True)) as steps:
        async with opened(settings, read_only=True) as store:
            published = await _published(store, wish.game, partial(steps.advance, END))
            if published is None:
                raise await no_such_game(store, wish.game, settings)
            export = _Export(wish, published)
            with opened_output(wish.output, force=wish.force) as file:
                advance = partial(steps.advance, "Reading history")
                return await _written(export.pages(store, advance), make(file))


async def _written(pages: AsyncIterator[list[dict[str, Any]]], writer: Format) -> int:
    count = 0
    async for entries in pages:
        writer.write(entries)
        count += len(entries)
    writer.close()
    return count


def _ignore(*_: object) -> None:
    """Tell nothing."""


class _Published(NamedTuple):
    """What was published of a game at a moment."""

    config: GameConfig
    last_sk: str
    """Sort key of the last of it; empty when there is nothing."""
    seq: int | None
    """Of the last of it; None where all up to `last_sk` is published."""


async def _published(store: Store, game: str, advance: Advance) -> _Published | None:
    """Find out how far a game has come; None when there is none.

    A store that keeps no order may hold rows that nobody was ever told of, behind a hole that only
    a reading from the newest snapshot on shows.
    """
    if not store.ordered:
        present = await read_present(store, game, RecoveryEvents(advance, _ignore))
        if present is None:
            return None
        outcome = present.outcome
        return _Published(present.config, outcome.last_sk, outcome.replica.seq)
    config = await RecoveryReader(store, RecoveryEvents(advance, _ignore)).config(game)
    if config is None:
        return None
    newest = (await store.journal.newest(config.partitions, Lookback(limit=1))).items
    return _Published(config, newest[0]["SK"] if newest else "", None)


class _Export:
    """What is exported of a game."""

    def __init__(self, wish: Wish, published: _Published) -> None:
        self._wish = wish
        self._published = published
        self._geometry: Geometry = published.config.lineage.geometry
        self._writers = Writers(published.config.writers)
        self._last = sys.maxsize if published.seq is None else published.seq
        self._area: Rectangle | None = None
        if wish.region is not None:
            self._area = original_area(check_region(wish.region, self._geometry), self._geometry)
        self._seq: int | None = None

    async def pages(self, store: Store, advance: Advance) -> AsyncIterator[list[dict[str, Any]]]:
        """Yield entries, oldest first."""
        journal, partitions = store.journal, self._published.config.partitions
        after = "" if self._wish.since is None else time_key(self._wish.since)
        up_to = self._published.last_sk
        if self._wish.until is not None:
            up_to = min(up_to, time_key(self._wish.until + 1))
        total, done = await journal.count(partitions, after=after, up_to=up_to), 0
        async for items in journal.read(partitions, after=after, up_to=up_to):
            yield self._entries(items)
            done += len(items)
            advance(done, total)

    def _entries(self, items: list[Item]) -> list[dict[str, Any]]:
        counted = [item for item in items if self._writers.published(item, self._last)]
        for item in counted:
            self._check_seq(item)
        return [self._entry(item) for item in counted if self._is_wanted(item)]

    def _check_seq(self, item: Item) -> None:
        seq = item["seq"]
        if self._seq is not None and seq != self._seq + 1:
            raise StoreDamaged(
                f"the history of {self._wish.game} goes from seq {self._seq} to {seq}; nothing was"
                " written",
                RESTORE,
            )
        self._seq = seq

    def _is_wanted(self, item: Item) -> bool:
        user = self._wish.user
        by_user = user is None or item.get("userId") == user
        return is_placement(item) and by_user and lies_in(self._area, item)

    def _entry(self, item: Item) -> dict[str, Any]:
        entry = placement_entry(item, self._geometry)
        if self._wish.pseudonym_key is not None:
            entry["by"] = pseudonym(entry["by"], self._wish.pseudonym_key)
        return entry


def pseudonym(user_id: str, key: bytes) -> str:
    """Return what stands for a user in a file; without the key nobody can tell whom it means."""
    digest = hashlib.blake2b(user_id.encode(), key=key, digest_size=PSEUDONYM_BYTES)
    return f"user-{digest.hexdigest()}"
