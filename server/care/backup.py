"""A backup: everything that a store held at one moment, copied beside the server that writes to it.

Owns what belongs to that moment: history up to the newest number that was read together with its
config, and the snapshots and pictures that go with it. Leases and connections are no part of it.
Reads the source through its ports, so that both stores are backed up alike. Called by
`tesserae backup`.
"""

from collections.abc import AsyncIterator
from dataclasses import dataclass

from persistence.errors import StoreDamaged, TransientFault
from persistence.ports import Blob, Item, Put, Store
from persistence.tables import CONFIG
from server.care.advance import Advance
from server.care.check.store import Report, games_of
from server.care.check.tables import given_fence
from server.care.copy.tables import COPIED, items_of
from server.game.config import GameConfig, key_of
from server.game.names import blob_folder
from server.game.writers import Writers
from server.recovery.fences import last_fence
from server.recovery.holding import holding
from server.recovery.present import read_present, unchanged
from server.recovery.reader import RecoveryEvents
from server.recovery.stored_snapshot import (
    archive_key,
    newest_key,
    seq_of,
    side_key,
)
from server.recovery.unfinished import check_finished

MAX_ATTEMPTS = 5
PAGE = 5000


@dataclass(frozen=True, slots=True)
class Moment:
    """A game as it was when a backup began."""

    game: str
    item: Item
    """Of the config table."""
    config: GameConfig
    seq: int
    crc32: int
    """Of the board at that seq."""


async def moments(store: Store, advance: Advance) -> list[Moment]:
    """Read where each game is, whoever writes to it. Raises StoreError."""
    await check_finished(store.tables)
    return [await _moment(store, game, advance) for game in await games_of(store)]


async def _moment(store: Store, game: str, advance: Advance) -> Moment:
    def progress(done: int, total: int) -> None:
        advance("Reading the board", done, total)

    for _ in range(MAX_ATTEMPTS):
        present = await read_present(store, game, RecoveryEvents(progress, _pass_over))
        item = await store.tables.get(CONFIG, key_of(game))
        if present is None or item is None:
            break
        config, replica = present.config, present.outcome.replica
        if unchanged(config, GameConfig.from_item(game, item)):
            floor = min(item["seq"], replica.seq)
            return Moment(game, {**item, "seq": floor}, config, replica.seq, replica.crc32())
    raise TransientFault(
        f"the size, the settings or the writer of {game} changed each time while it was read",
        "try again in a moment",
    )


def _pass_over(_: StoreDamaged) -> None:
    """Leave it to the check of the finished backup to tell what is damaged."""


@dataclass(frozen=True, slots=True)
class Backup:
    """One backup, from a store that is read to an empty one."""

    source: Store
    target: Store
    advance: Advance

    async def write(self, games: list[Moment]) -> None:
        """Copy everything; the config of a game last. Raises StoreError."""
        given = max(
            await given_fence(self.source.tables) or 0, await last_fence(self.source.tables)
        )
        async with holding(self.target.lease, above=given):
            for moment in games:
                await self._history(moment)
                await self._snapshots(moment)
                await self.target.tables.write(Put(CONFIG, moment.item))
            await self._items()

    # --- history and its pictures --------------------------------------------

    async def _history(self, moment: Moment) -> None:
        async for rows in self._rows(moment):
            for row in rows:
                if row.get("kind") == "base":
                    await self._copy_blob(row["blob"])
            await self.target.journal.commit(rows)

    async def _rows(self, moment: Moment) -> AsyncIterator[list[Item]]:
        """Yield what counts, in order; what came after the moment is left out."""
        journal, partitions = self.source.journal, moment.config.partitions
        total, done = await journal.count(partitions), 0
        writers = Writers(moment.config.writers)
        async for page in journal.read(partitions, page=PAGE):
            yield [row for row in page if writers.belongs(row, moment.seq)]
            done += len(page)
            self.advance("Copying history", done, max(done, total))

    async def _copy_blob(self, key: str) -> Blob | None:
        """Copy a blob; None when it is gone or damaged, which the check tells."""
        try:
            blob = await self.source.blobs.get(key)
        except StoreDamaged:
            return None
        if blob is not None:
            await self.target.blobs.put(key, blob.data, blob.metadata)
        return blob

    async def _snapshots(self, moment: Moment) -> None:
        """Copy what is not newer than the moment; the newest of it is what a start begins at."""
        archives = await self.source.blobs.list(f"{blob_folder(moment.game)}/archive/")
        newest: Blob | None = None
        for done, key in enumerate(archives, 1):
            seq = seq_of(key)
            if seq is not None and seq <= moment.seq:
                await self._copy_blob(side_key(moment.game, seq))
                newest = await self._copy_blob(archive_key(moment.game, seq)) or newest
            self.advance("Copying snapshots", done, len(archives))
        if newest is not None:
            await self.target.blobs.put(newest_key(moment.game), newest.data, newest.metadata)

    # --- other tables --------------------------------------------------------

    async def _items(self) -> None:
        """Copy what is in no game's history, as it is by now."""
        for table in COPIED:
            async for items in items_of(self.source.tables, table):
                for item in items:
                    await self.target.tables.write(Put(table, item))


def differences(games: list[Moment], report: Report) -> list[str]:
    """Say what in a finished backup is not as it was when it began."""
    found = {summary.game: (summary.seq, summary.crc32) for summary in report.games}
    return [
        f"{moment.game} should be at seq {moment.seq} with the checksum {moment.crc32}, and the"
        f" backup has {found.get(moment.game)}"
        for moment in games
        if found.get(moment.game) != (moment.seq, moment.crc32)
    ]
