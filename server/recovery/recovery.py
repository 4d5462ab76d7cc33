"""Recovery: from what is stored to a game that goes on where it was.

Owns the order of data-model's recovery: config, newest sound snapshot, history after it, orphans,
the superseded writer's last valid seq, cooldowns and requests. Changes nothing before it knows that
the data holds together. Called by lifecycle.py with the lease in hand.
"""

import asyncio
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import orjson

from canvas.address import AddressPolicy
from canvas.bans import Bans
from canvas.board import Board
from canvas.events import Event
from canvas.growth import Lineage
from canvas.head import Head
from canvas.requests import KEPT_MS
from persistence.errors import StoreDamaged
from persistence.ports import Condition, Item, Put, Store, Update
from persistence.tables import CONFIG
from server.clock import Clock
from server.game.config import GameConfig, key_of
from server.game.game import Game
from server.game.history import at_ms_of_key, from_item, partition_of, time_key
from server.game.names import blob_folder
from server.recovery.replay import Base, Outcome, Replay
from server.recovery.stored_snapshot import StoredSnapshot, newest_key, side_key
from server.wire.codec import Stream

RING_MS = 120_000
"""History from this long before the snapshot refills the ring, so that resumes hold."""

RESTORE = "put the data directory back from a backup; nothing was changed"

KEPT_WRITERS = 100
"""Superseded writers are remembered this far back; nothing older can still be on its way."""


@dataclass(frozen=True, slots=True)
class RecoverySettings:
    """Limits of the recovered game."""

    ring_events: int
    max_pending: int
    policy: AddressPolicy
    page: int = 5000


@dataclass(frozen=True, slots=True)
class RecoveryEvents:
    """What a recovery tells on its way."""

    progress: Callable[[int, int], None]
    """(items read, items in all)."""
    damaged: Callable[[StoreDamaged], None]
    """A snapshot or side blob is not to be used; an older one, or the history, stands in."""


class Recovery:
    """Recovers games from one store."""

    def __init__(
        self, store: Store, clock: Clock, settings: RecoverySettings, listener: RecoveryEvents
    ) -> None:
        self._store = store
        self._clock = clock
        self._settings = settings
        self._listener = listener

    async def load_or_found(self, founding: GameConfig) -> GameConfig:
        """Read the config of a game, or found it; raises StoreDamaged."""
        game = founding.game
        item = await self._store.tables.get(CONFIG, key_of(game))
        if item is not None:
            return GameConfig.from_item(game, item)
        left = await self._left_of(game)
        if left:
            raise StoreDamaged(
                f"{game} has {left} but no config item: its database is missing or incomplete",
                "put the database back from a backup, or choose another --data for a new canvas",
            )
        put = Put(CONFIG, founding.to_item(), condition=Condition(exists=False))
        await self._store.tables.write(put)
        return founding

    async def _left_of(self, game: str) -> str:
        """Say what is stored of a game that has no config; empty when it is really new."""
        if await self._store.blobs.list(f"{blob_folder(game)}/canvas.bin"):
            return "a snapshot"
        items = await self._store.journal.count((partition_of(game),))
        return f"a history of {items} items" if items else ""

    async def recover(self, config: GameConfig, fence: int, bans: Bans) -> Game:
        """Bring a game back; raises StoreDamaged, and then nothing was changed."""
        snapshot = await self._newest_snapshot(config)
        base = _base(config, snapshot)
        side = await self._side(config.game, base.seq)
        recent = _Recent(self._clock.wall_ms(), config, base.seq if side else 0)
        outcome = await self._replay(config, base, recent, _first_key(config, snapshot, side))
        self._check(config, base, outcome)
        head = self._head(outcome, bans)
        now_ms, wall_ms = self._clock.monotonic_ms(), self._clock.wall_ms()
        if side is not None:
            head.restore(side, now_ms, wall_ms)
        head.replay(recent.events, now_ms, wall_ms)
        await self._supersede(config, fence, outcome)
        return Game(
            outcome.replica,
            head,
            self._store.journal,
            fence,
            self._clock,
            config_seq=config.seq,
            last_sk=outcome.last_sk,
        )

    async def _newest_snapshot(self, config: GameConfig) -> StoredSnapshot | None:
        archives = await self._store.blobs.list(f"{blob_folder(config.game)}/archive/")
        for key in (newest_key(config.game), *reversed(archives)):
            try:
                blob = await self._store.blobs.get(key)
                snapshot = None if blob is None else StoredSnapshot.from_blob(key, blob)
                if snapshot is not None and snapshot.epoch == config.epoch:
                    _base(config, snapshot)
                    return snapshot
            except StoreDamaged as damage:
                self._listener.damaged(damage)
        return None

    async def _side(self, game: str, seq: int) -> dict[str, Any] | None:
        try:
            blob = await self._store.blobs.get(side_key(game, seq))
            side = None if blob is None else orjson.loads(blob.data)
        except (StoreDamaged, ValueError) as error:
            damage = StoreDamaged(f"the side blob of seq {seq} cannot be read: {error}")
            self._listener.damaged(damage)
            return None
        return side if side is None or side["seq"] == seq else None

    async def _replay(
        self, config: GameConfig, base: Base, recent: "_Recent", after: str
    ) -> Outcome:
        replay = Replay(
            Stream(config.game, config.channel),
            config.epoch,
            base,
            config.settings,
            writers=config.writers,
            ring_events=self._settings.ring_events,
            on_placements=recent.take,
        )
        journal, partitions = self._store.journal, config.partitions
        total = await journal.count(partitions, after=after)
        done = 0
        pages = journal.read(partitions, after=after, page=self._settings.page)
        async for page in _one_ahead(pages):
            try:
                replay.feed(page)
            except (KeyError, TypeError, ValueError, IndexError) as error:
                raise _unreadable(config.game, error) from error
            done += len(page)
            self._listener.progress(done, total)
        return replay.finish()

    def _check(self, config: GameConfig, base: Base, outcome: Outcome) -> None:
        replica = outcome.replica
        if not outcome.holds_base:
            raise StoreDamaged(
                f"the history of {config.game} does not hold seq {base.seq}, at which its snapshot"
                " was taken: its database is older than its snapshots",
                "put the data directory back from a backup as a whole; nothing was changed",
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

    def _head(self, outcome: Outcome, bans: Bans) -> Head:
        return Head(
            outcome.replica,
            outcome.replica.settings,
            seq=outcome.replica.seq,
            last_ms=outcome.last_at_ms,
            policy=self._settings.policy,
            bans=bans,
            max_pending=self._settings.max_pending,
        )

    async def _supersede(self, config: GameConfig, fence: int, outcome: Outcome) -> None:
        """Delete what was never published, and bar the former writers from adding to it."""
        if outcome.orphans:
            await self._store.journal.delete(outcome.orphans)
        writers = {**config.writers, fence - 1: outcome.replica.seq}
        kept = sorted(writers)[-KEPT_WRITERS:]
        update = Update(
            CONFIG, key_of(config.game), set={"writers": {str(f): writers[f] for f in kept}}
        )
        await self._store.tables.write(update)


async def _one_ahead(pages: AsyncIterator[list[Item]]) -> AsyncIterator[list[Item]]:
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


class _Recent:
    """Keeps the placements whose cooldowns may run or whose requests are remembered."""

    def __init__(self, wall_ms: int, config: GameConfig, after_seq: int) -> None:
        self.events: list[Event] = []
        self._wall_ms = wall_ms
        self._after_seq = after_seq
        self._stack = config.settings.cooldown.max_stack
        self._longest_ms = 0
        self._horizon = time_key(wall_ms - KEPT_MS)

    def take(self, placements: Sequence[Item], generation: int) -> None:
        """Keep what is of use; most of a long history is told by its sort key to be too old."""
        longest_ms = max(item["costMs"] for item in placements)
        if longest_ms > self._longest_ms:
            self._longest_ms = longest_ms
            lasts_ms = max(longest_ms * self._stack, KEPT_MS)
            self._horizon = time_key(self._wall_ms - lasts_ms)
        horizon, after_seq = self._horizon, self._after_seq
        self.events += [
            from_item(item, generation)
            for item in placements
            if item["SK"] > horizon and item["seq"] > after_seq
        ]


def _base(config: GameConfig, snapshot: StoredSnapshot | None) -> Base:
    if snapshot is None:
        first = config.lineage.frames[0]
        board = Board(first.width, first.height, config.settings.palette.empty)
        return Base(board, Lineage([first]), 0, "")
    frames = [f for f in config.lineage.frames if f.generation <= snapshot.generation]
    try:
        lineage = Lineage(frames)
        board = Board.from_packed(snapshot.width, snapshot.height, snapshot.packed)
    except ValueError as error:
        raise StoreDamaged(f"the snapshot of seq {snapshot.seq} is damaged: {error}") from error
    geometry = lineage.geometry
    if (geometry.width, geometry.height) != (snapshot.width, snapshot.height):
        raise StoreDamaged(f"the snapshot of seq {snapshot.seq} has not the size of its generation")
    return Base(board, lineage, snapshot.seq, snapshot.last_sk)


def _first_key(
    config: GameConfig, snapshot: StoredSnapshot | None, side: Mapping[str, Any] | None
) -> str:
    """Sort key after which history is read: somewhat before the snapshot, for ring and requests."""
    if snapshot is None or not snapshot.last_sk:
        return ""
    cooldown = config.settings.cooldown
    lookback_ms = RING_MS if side else max(RING_MS, KEPT_MS, cooldown.full_ms)
    return time_key(at_ms_of_key(snapshot.last_sk) - lookback_ms)


def _unreadable(game: str, error: Exception) -> StoreDamaged:
    return StoreDamaged(
        f"the history of {game} holds an item that cannot be read: {error!r}",
        RESTORE,
    )
