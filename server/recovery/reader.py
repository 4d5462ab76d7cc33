"""From what is stored to the published state: the newest sound snapshot and the history after it.

Owns which snapshot is used, and the checks that the data holds together. Writes nothing and needs
no lock. Called by recovery, and by present.py for the commands that only read.
"""

import asyncio
from collections.abc import AsyncGenerator, AsyncIterator, Callable, Iterator, Sequence
from contextlib import aclosing
from dataclasses import dataclass
from itertools import groupby

from canvas.board import Board
from canvas.growth import Lineage
from canvas.packing import Cells
from persistence.errors import StoreDamaged
from persistence.ports import Item, Store
from persistence.tables import CONFIG
from server.game.base_blob import damaged, read_blob
from server.game.config import GameConfig, key_of
from server.game.history import at_ms_of_key, is_base, time_key
from server.game.names import blob_folder
from server.game.rows import place_of, wrong_with
from server.game.writers import Writers
from server.recovery.replay import Base, Outcome, Replay
from server.recovery.stored_snapshot import STANDS_IN, StoredSnapshot, newest_key
from server.wire.codec import Stream

RESTORE = (
    "nothing was changed; `tesserae store check` tells all that is damaged, and what helps: mostly"
    " to put a backup back and run `tesserae epoch new`"
)


@dataclass(frozen=True, slots=True)
class RecoveryEvents:
    """What a reading tells on its way."""

    progress: Callable[[int, int], None]
    """(items read, items in all)."""
    damaged: Callable[[StoreDamaged], None]
    """A snapshot or side blob is not to be used; an older one, or the history, stands in."""


def _ignore(_placements: Sequence[Item], _generation: int) -> None:
    """Take placements for nothing but the board."""


class RecoveryReader:
    """Reads games of one store."""

    def __init__(
        self, store: Store, listener: RecoveryEvents, *, ring_events: int = 1, page: int = 5000
    ) -> None:
        self._store = store
        self._listener = listener
        self._ring_events = ring_events
        self._page = page

    async def config(self, game: str) -> GameConfig | None:
        """Read the config of a game; None when there is none. Raises StoreDamaged."""
        item = await self._store.tables.get(CONFIG, key_of(game))
        return None if item is None else GameConfig.from_item(game, item)

    async def read(self, config: GameConfig) -> Outcome:
        """Read the state that `config` is of; raises StoreDamaged."""
        return await self.replay(config, await self.base(config))

    async def base(self, config: GameConfig) -> Base:
        """Find the newest sound snapshot, or the blank first board."""
        archives = await self._store.blobs.list(f"{blob_folder(config.game)}/archive/")
        for key in (newest_key(config.game), *reversed(archives)):
            try:
                blob = await self._store.blobs.get(key)
                snapshot = None if blob is None else StoredSnapshot.from_blob(key, blob)
                if snapshot is not None and snapshot.epoch == config.epoch:
                    return board_of(config, snapshot)
            except StoreDamaged as damage:
                self._listener.damaged(damage)
        return blank_board(config)

    async def replay(
        self,
        config: GameConfig,
        base: Base,
        *,
        lookback_ms: int = 0,
        on_placements: Callable[[Sequence[Item], int], None] = _ignore,
    ) -> Outcome:
        """Go on from `base` to the end of the history; raises StoreDamaged.

        Placements from `lookback_ms` before the base on are told, those before it for nothing else
        than the ring.
        """
        replay = self._replay(config, base, on_placements)
        async for page in self._pages(config, _before(base, lookback_ms)):
            await self._feed(config, replay, page)
        outcome = replay.finish()
        self._check(config, base, outcome)
        return outcome

    async def up_to(self, config: GameConfig, base: Base, seq: int) -> Outcome:
        """Go on from `base` to `seq`, or as far as the history leads. Raises StoreDamaged."""
        replay = self._replay(config, base, _ignore)
        async with aclosing(self._pages(config, _before(base, 0))) as pages:
            async for page in pages:
                await self._feed(config, replay, [i for i in page if i.get("seq", 0) <= seq])
                if replay.seq >= seq:
                    break
        return replay.finish()

    def _replay(
        self, config: GameConfig, base: Base, on_placements: Callable[[Sequence[Item], int], None]
    ) -> Replay:
        return Replay(
            Stream(config.game, config.channel),
            config.epoch,
            base,
            config.settings,
            writers=Writers(config.writers),
            ring_events=self._ring_events,
            on_placements=on_placements,
        )

    async def _feed(self, config: GameConfig, replay: Replay, page: list[Item]) -> None:
        try:
            await self._feed_readable(replay, page)
        except (KeyError, TypeError, ValueError, IndexError) as error:
            raise _unreadable(config.game, page, error) from error

    async def _feed_readable(self, replay: Replay, page: list[Item]) -> None:
        for items in _bases_apart(page):
            if not is_base(items[0]):
                replay.feed(items)
            elif replay.will_lay(items[0]):
                replay.feed(items, await self._cells(items[0]))
            else:
                await self._look_at(items[0])
                replay.feed(items)

    async def _cells(self, item: Item) -> Cells:
        key = item["blob"]
        try:
            blob = await self._store.blobs.get(key)
        except StoreDamaged as damage:
            raise damaged(key, f"is damaged: {damage}") from damage
        size = item["width"], item["height"]
        return await asyncio.to_thread(read_blob, key, blob, *size, item["crc32"])

    async def _look_at(self, item: Item) -> None:
        """Tell of a picture that is not needed now, and would be without the snapshot."""
        try:
            await self._cells(item)
        except StoreDamaged as damage:
            self._listener.damaged(damage)

    async def _pages(self, config: GameConfig, after: str) -> AsyncGenerator[list[Item], None]:
        journal, partitions = self._store.journal, config.partitions
        total = await journal.count(partitions, after=after)
        done = 0
        reading = one_ahead(journal.read(partitions, after=after, page=self._page))
        async with aclosing(reading) as pages:
            async for page in pages:
                yield page
                done += len(page)
                self._listener.progress(done, max(total, done))

    def _check(self, config: GameConfig, base: Base, outcome: Outcome) -> None:
        replica = outcome.replica
        if not outcome.holds_base:
            raise StoreDamaged(
                f"the history of {config.game} does not hold seq {base.seq}, at which its snapshot"
                " was taken: its database is older than its snapshots",
                "nothing was changed; put both back from one backup, then run `tesserae epoch new`;"
                " `tesserae store check` tells how far each goes",
            )
        floor = max(config.seq, *config.writers.values(), 0)
        if outcome.orphans and self._store.ordered:
            raise StoreDamaged(
                f"the history of {config.game} has a hole after seq {replica.seq}, with"
                f" {len(outcome.orphans)} items behind it",
                RESTORE,
            )
        if replica.seq < floor:
            raise StoreDamaged(
                f"the history of {config.game} ends at seq {replica.seq}; {floor} was published",
                RESTORE,
            )
        if replica.lineage.geometry != config.lineage.geometry:
            raise StoreDamaged(
                f"the size of {config.game} in its config is not the one its history leads to",
                RESTORE,
            )


def blank_board(config: GameConfig) -> Base:
    """Make the board that a game was founded with, from which its whole history leads on."""
    first = config.lineage.frames[0]
    board = Board(first.width, first.height, config.settings.palette.empty)
    return Base(board, Lineage([first]), 0, "")


def board_of(config: GameConfig, snapshot: StoredSnapshot) -> Base:
    """Make the board of a stored snapshot. Raises StoreDamaged when it cannot be this game's."""
    frames = [f for f in config.lineage.frames if f.generation <= snapshot.generation]
    try:
        lineage = Lineage(frames)
        board = Board.from_packed(snapshot.width, snapshot.height, snapshot.packed)
    except ValueError as error:
        raise StoreDamaged(
            f"the snapshot of seq {snapshot.seq} is damaged: {error}", STANDS_IN
        ) from error
    geometry = lineage.geometry
    if (geometry.width, geometry.height) != (snapshot.width, snapshot.height):
        raise StoreDamaged(
            f"the snapshot of seq {snapshot.seq} has not the size of its generation", STANDS_IN
        )
    return Base(board, lineage, snapshot.seq, snapshot.last_sk)


def _before(base: Base, lookback_ms: int) -> str:
    """Return the sort key after which to read, so that the event of `base` itself is read too."""
    return time_key(at_ms_of_key(base.last_sk) - lookback_ms) if base.last_sk else ""


def _bases_apart(page: list[Item]) -> Iterator[list[Item]]:
    """Cut a page so that each base picture is alone, since its cells have to be fetched."""
    for apart, group in groupby(page, key=is_base):
        if apart:
            yield from ([item] for item in group)
        else:
            yield list(group)


async def one_ahead(pages: AsyncIterator[list[Item]]) -> AsyncGenerator[list[Item], None]:
    """Fetch the next page, in the store's thread, while one is taken here."""

    async def fetch() -> list[Item] | None:
        return await anext(pages, None)

    upcoming = asyncio.create_task(fetch())
    try:
        while (page := await upcoming) is not None:
            upcoming = asyncio.create_task(fetch())
            await asyncio.sleep(0)
            yield page
    finally:
        upcoming.cancel()


def _unreadable(game: str, page: list[Item], error: Exception) -> StoreDamaged:
    defects = ((item, wrong_with(item)) for item in page)
    named = (f"{place_of(item)}: {wrong}" for item, wrong in defects if wrong)
    return StoreDamaged(
        f"the history of {game} holds an item that cannot be read: {next(named, repr(error))}",
        RESTORE,
    )
