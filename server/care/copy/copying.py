"""A copy from its mark to its end: what makes it resumable, proven and never served before.

Owns the order: mark, blobs, tables, history, all of it compared once more, the configs of the games
in a new epoch, and the mark taken away. Both leases are held all the while, so that nothing is
placed that the copy would not have. Called by `tesserae store copy`.
"""

from collections.abc import AsyncIterator
from dataclasses import dataclass

from persistence.errors import PermanentFault, StoreDamaged
from persistence.ports import Put, Store
from persistence.tables import ALL, CONFIG
from server.care.advance import Advance
from server.care.copy.blobs import FOLDER, BlobsPass
from server.care.copy.history import HistoryPass
from server.care.copy.plan import SourceGame, read_games
from server.care.copy.tables import COPIED, TablesPass, items_of
from server.care.copy.tally import Tally
from server.recovery.fences import last_fence
from server.recovery.holding import holding
from server.recovery.reader import RecoveryEvents
from server.recovery.unfinished import Mark, read_mark, taken_away

_EMPTY = "copy to an empty store: another directory, or another stage with a bucket of its own"


@dataclass(frozen=True, slots=True)
class Copying:
    """Both stores, opened for writing and patient, and who is told."""

    source: Store
    target: Store
    source_name: str
    """In words, for the mark."""
    epoch: str
    """What the games get in the target; an unfinished copy keeps its own."""
    advance: Advance
    events: RecoveryEvents


@dataclass(frozen=True, slots=True)
class Copied:
    """What came of it."""

    games: list[SourceGame]
    written: int
    resumed: bool
    parts: list[Tally]
    """As they were compared in the end."""


async def copy_store(copying: Copying) -> Copied:
    """Copy, or go on with a copy. Raises StoreError; what is there then is marked unfinished."""
    async with holding(copying.source.lease) as fence:
        # The target's first server comes after whoever wrote what is copied.
        above = max(fence, await last_fence(copying.source.tables))
        async with holding(copying.target.lease, above=above):
            return await _copy(copying)


async def _copy(copying: Copying) -> Copied:
    games = await read_games(copying.source, copying.events)
    if not games:
        raise PermanentFault(f"there is no game in {copying.source_name}", "is it the right one?")
    mark = await read_mark(copying.target.tables)
    resumed = mark is not None
    mark = _same(mark, games) if mark else await _marked(copying, games)
    written = [part async for part in _passes(copying, games, mark, writes=True)]
    parts = [part async for part in _passes(copying, games, mark, writes=False)]
    _check(parts)
    await _finish(copying, games, mark)
    return Copied(games, sum(part.differences for part in written), resumed, parts)


async def check_target(target: Store, games: list[SourceGame]) -> Mark | None:
    """Look whether a copy may be made, or gone on with. Raises PermanentFault."""
    mark = await read_mark(target.tables)
    if mark is not None:
        return _same(mark, games)
    await _check_empty(target)
    return None


def _epochs(games: list[SourceGame]) -> dict[str, str]:
    return {game.config.game: game.config.epoch for game in games}


def _same(mark: Mark, games: list[SourceGame]) -> Mark:
    """Return the mark when it is of this source."""
    if mark.games != _epochs(games):
        raise PermanentFault(
            f"the target is an unfinished copy of {mark.source}, which is another store or was"
            " changed into another epoch",
            f"finish that copy, or {_EMPTY}",
        )
    return mark


async def _marked(copying: Copying, games: list[SourceGame]) -> Mark:
    await _check_empty(copying.target)
    mark = Mark(copying.source_name, _epochs(games), copying.epoch)
    await copying.target.tables.write(mark.put())
    return mark


async def _check_empty(target: Store) -> None:
    """Raise PermanentFault naming what is there already."""
    if await target.blobs.list(FOLDER):
        raise PermanentFault("the target holds the blobs of a game", _EMPTY)
    for table in ALL:
        async for items in items_of(target.tables, table):
            if items:
                key = " / ".join([items[0][table.partition], items[0][table.sort]])
                raise PermanentFault(
                    f"the target's table {table.name} holds something: {key}", _EMPTY
                )


async def _passes(
    copying: Copying, games: list[SourceGame], mark: Mark, *, writes: bool
) -> AsyncIterator[Tally]:
    source, target = copying.source, copying.target
    advance = _told(copying.advance, "Copying" if writes else "Comparing")
    epochs = {game.config.epoch: mark.epoch for game in games}
    yield await BlobsPass(source.blobs, target.blobs, advance, writes=writes, epochs=epochs).over()
    tables = TablesPass(source.tables, target.tables, advance, writes=writes)
    for table in COPIED:
        yield await tables.over(table)
    history = HistoryPass(source.journal, target.journal, advance, writes=writes)
    for game in games:
        for part in game.histories():
            yield await history.over(part)


def _told(advance: Advance, doing: str) -> Advance:
    def shown(what: str, done: int, total: int) -> None:
        advance(f"{doing} {what}", done, total)

    return shown


def _check(parts: list[Tally]) -> None:
    unlike = [part for part in parts if part.differences]
    if unlike:
        told = "; ".join(f"{part.what}: {part.difference}" for part in unlike)
        raise StoreDamaged(
            f"the copy is not like the source ({told})",
            "is something else writing there? run `tesserae store copy` again, which mends it",
        )


async def _finish(copying: Copying, games: list[SourceGame], mark: Mark) -> None:
    tables = copying.target.tables
    for game in games:
        await tables.write(Put(CONFIG, {**game.item, "epoch": mark.epoch}))
    await tables.write(taken_away())
