"""What a restoring would do: the earlier board over today's size, and all that it undoes.

Owns which points can be restored, which palette comes with them, and the counts that a person is
shown. Reads beside whoever writes, and writes nothing. Called by `tesserae restore`.
"""

import asyncio
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from canvas.base import colors_of, framed
from canvas.differing import differing
from canvas.geometry import Geometry
from canvas.packing import Cells
from canvas.palette import Palette
from persistence.ports import Item, Store
from server.care.restore.point import Point, told
from server.game.config import GameConfig
from server.game.history import at_ms_of_key
from server.game.writers import Writers
from server.recovery.past import read_past, seq_at
from server.recovery.present import Present, read_present
from server.recovery.reader import RecoveryEvents
from server.recovery.replay import Outcome

PLACEMENT = "placement"


class CannotRestore(ValueError):  # noqa: N818  # an answer for the person at the terminal
    """There is no such point, or nothing to restore; the text tells what there is."""


@dataclass(frozen=True, slots=True)
class Wish:
    """What is to be restored."""

    game: str
    point: Point
    keep_palette: bool = False
    """Whether the numbers of the earlier board are shown in today's colours."""


@dataclass(frozen=True, slots=True)
class Plan:
    """A restoring that may be carried out."""

    game: str
    epoch: str
    """Of the board that was looked at, as its seq is."""
    newest_seq: int
    seq: int
    at_ms: int
    """When the event of `seq` was."""
    then: Geometry
    frame: Geometry
    """Today's."""
    cells: Cells
    """The earlier board on today's frame; what was not there then is empty."""
    palette: Palette
    sets_palette: bool
    differing: int
    """Cells that will show another colour."""
    undone: Mapping[str, int]
    """Events after `seq`, by kind."""


async def make_plan(store: Store, wish: Wish, now_ms: int, listener: RecoveryEvents) -> Plan | None:
    """Look at both boards; None when there is no such game. Raises CannotRestore, StoreError."""
    present = await read_present(store, wish.game, listener)
    if present is None:
        return None
    seq = await _resolved(store, wish.point, present, now_ms)
    past = await read_past(store, present.config, seq, listener)
    undone = await _undone(store, present, past.last_sk, listener)
    palette = await _palette(store, wish, present, past, undone, listener)
    plan = await asyncio.to_thread(_compared, present, past, palette, undone.counts)
    if not (plan.differing or plan.sets_palette):
        raise CannotRestore(f"{wish.game} looks as it did at seq {seq}: nothing is to be restored")
    return plan


async def _resolved(store: Store, point: Point, present: Present, now_ms: int) -> int:
    """Return the seq of a point. Raises CannotRestore, telling which points there are."""
    game, newest = present.config.game, present.outcome.replica.seq
    if newest == 0:
        raise CannotRestore(f"nothing was ever placed on {game}: there is nothing to restore")
    if point.at_ms is not None:
        seq = await _seq_of_moment(store, point.at_ms, present, now_ms)
    else:
        seq = point.seq or 0
        if not 1 <= seq <= newest:
            raise CannotRestore(f"{game} has no seq {seq}: give one from 1 to {newest}, or a time")
    if seq >= newest:
        raise CannotRestore(f"{game} is as it was at seq {seq}: nothing came after it")
    return seq


async def _seq_of_moment(store: Store, at_ms: int, present: Present, now_ms: int) -> int:
    config = present.config
    if at_ms > now_ms:
        raise CannotRestore(f"{told(at_ms)} is in the future; it is {told(now_ms)} now")
    seq = await seq_at(store, config, at_ms, present.outcome.replica.seq)
    if seq == 0:
        first = await _first_ms(store, config)
        raise CannotRestore(
            f"{told(at_ms)} is before the history of {config.game}, which begins at {told(first)}"
        )
    return seq


async def _first_ms(store: Store, config: GameConfig) -> int:
    async for items in store.journal.read(config.partitions, page=1):
        return at_ms_of_key(items[0]["SK"])
    return 0


class _Undone:
    """Counts what comes after a point, and notes a palette among it."""

    def __init__(self) -> None:
        self.counts: Counter[str] = Counter()
        self.palette = False

    def take(self, item: Item) -> None:
        self.counts[item.get("kind", PLACEMENT)] += 1
        self.palette = self.palette or _palette_of(item) is not None


async def _undone(store: Store, present: Present, after: str, listener: RecoveryEvents) -> _Undone:
    config, newest = present.config, present.outcome.replica.seq
    writers, undone = Writers(config.writers), _Undone()
    total = await store.journal.count(config.partitions, after=after)
    async for items in store.journal.read(config.partitions, after=after):
        for item in items:
            if writers.published(item, newest):
                undone.take(item)
        listener.progress(undone.counts.total(), total)
    return undone


def _palette_of(item: Item) -> Any:
    return item["changes"].get("palette") if item.get("kind") == "settings" else None


async def _palette(
    store: Store,
    wish: Wish,
    present: Present,
    past: Outcome,
    undone: _Undone,
    listener: RecoveryEvents,
) -> Palette:
    """Return the palette that the earlier board was painted with. Raises CannotRestore."""
    today = present.outcome.replica.settings.palette
    if wish.keep_palette or not undone.palette:
        return today
    found = await _last_palette(store, present.config, past, listener)
    if found is None:
        raise CannotRestore(
            f"{wish.game} was painted in another palette by then, of which the history does not"
            " tell: choose a later point, or give --keep-palette to have it in today's colors"
        )
    return Palette.from_json(found, today.empty)


async def _last_palette(
    store: Store, config: GameConfig, past: Outcome, listener: RecoveryEvents
) -> Any:
    """Return what the history up to a point last says of the palette; None when nothing."""
    found, writers, done = None, Writers(config.writers), 0
    total = await store.journal.count(config.partitions, up_to=past.last_sk)
    async for items in store.journal.read(config.partitions, up_to=past.last_sk):
        for item in items:
            if writers.published(item, past.replica.seq):
                found = _palette_of(item) or found
        done += len(items)
        listener.progress(done, total)
    return found


def _compared(present: Present, past: Outcome, palette: Palette, undone: Mapping[str, int]) -> Plan:
    now, then = present.outcome.replica, past.replica
    old, frame = then.lineage.geometry, now.lineage.geometry
    cells = framed(then.board.colors(), old, frame, palette.empty)
    _check_colors(cells, palette)
    return Plan(
        game=present.config.game,
        epoch=now.epoch,
        newest_seq=now.seq,
        seq=then.seq,
        at_ms=past.last_at_ms,
        then=old,
        frame=frame,
        cells=cells,
        palette=palette,
        sets_palette=palette != now.settings.palette,
        differing=differing(now.board, now.settings.palette, cells, palette),
        undone=undone,
    )


def _check_colors(cells: Cells, palette: Palette) -> None:
    missing = sorted(colors_of(cells) - palette.usable)
    if missing:
        raise CannotRestore(
            f"the board then has color {missing[0]}, which the palette does not have: it has"
            f" {palette.hint}; add it with `tesserae canvas import --palette` first"
        )
