"""Recovery: from what is stored to a game that goes on where it was.

Owns the founding of a game, cooldowns and requests, orphans and the superseded writer's last valid
seq; the state itself is read by reader.py. Changes nothing before it knows that the data holds
together. Called by lifecycle.py with the lease in hand.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import orjson

from canvas.address import AddressPolicy
from canvas.bans import Bans
from canvas.events import Event
from canvas.head import Head
from canvas.requests import KEPT_MS
from persistence.errors import ConditionFailed, StoreDamaged, TransientFault
from persistence.ports import Condition, Item, Put, Store, Update
from persistence.tables import CONFIG
from server.clock import Clock
from server.game.config import GameConfig, key_of, served_by
from server.game.game import Game
from server.game.history import from_item, time_key
from server.game.names import blob_folder
from server.game.partitions import Partitions, first_partitions
from server.game.writers import Writers
from server.recovery.reader import RecoveryEvents, RecoveryReader
from server.recovery.replay import Outcome
from server.recovery.stored_snapshot import STANDS_IN, side_key
from server.recovery.unfinished import check_finished

RING_MS = 120_000
"""History from this long before the snapshot refills the ring, so that resumes hold."""

KEPT_WRITERS = 100
"""Superseded writers are remembered this far back; nothing older can still be on its way."""


@dataclass(frozen=True, slots=True)
class RecoverySettings:
    """Limits of the recovered game."""

    ring_events: int
    max_pending: int
    policy: AddressPolicy
    page: int = 5000
    history_shards: int | None = None
    """How many partitions are written to in turn from now on; None: as before."""


class Recovery:
    """Recovers games from one store."""

    def __init__(
        self,
        store: Store,
        clock: Clock,
        settings: RecoverySettings,
        listener: RecoveryEvents,
        *,
        reading: Store | None = None,
    ) -> None:
        """Take the store, and how it is read: `reading` may wait out what throttles it."""
        self._store = store
        self._reading = reading or store
        self._clock = clock
        self._settings = settings
        self._listener = listener
        self._reader = RecoveryReader(
            self._reading, listener, ring_events=settings.ring_events, page=settings.page
        )

    async def load(self, game: str) -> GameConfig | None:
        """Read the config of a game; None when there is none. Raises StoreDamaged."""
        await check_finished(self._reading.tables)
        return await self._reader.config(game)

    async def load_or_found(self, founding: GameConfig) -> GameConfig:
        """Read the config of a game, or found it; raises StoreDamaged."""
        game = founding.game
        config = await self.load(game)
        if config is not None:
            return config
        left = await self._left_of(game)
        if left:
            raise StoreDamaged(
                f"{game} has {left} but no config item: its database is missing or incomplete",
                "put the whole store back from a backup, then run `tesserae epoch new`; or choose"
                " another --data for a new canvas (on AWS another --stage, with its own --bucket)",
            )
        put = Put(CONFIG, founding.to_item(), condition=Condition(exists=False))
        await self._store.tables.write(put)
        return founding

    async def _left_of(self, game: str) -> str:
        """Say what is stored of a game that has no config; empty when it is really new."""
        if await self._reading.blobs.list(f"{blob_folder(game)}/canvas.bin"):
            return "a snapshot"
        items = await self._reading.journal.count(first_partitions(game))
        return f"a history of {items} items" if items else ""

    async def recover(
        self, config: GameConfig, fence: int, bans: Bans, *, own: bool = False
    ) -> Game:
        """Bring a game back; raises StoreDamaged, and then nothing was changed.

        With `own` this process has served it under the same fence before, and laid it to rest.
        """
        _check_fence(config, fence + own)
        base = await self._reader.base(config)
        side = await self._side(config.game, base.seq)
        recent = _Recent(self._clock.wall_ms(), config, base.seq if side else 0)
        outcome = await self._reader.replay(
            config,
            base,
            lookback_ms=_lookback_ms(config, has_side=side is not None),
            on_placements=recent.take,
        )
        head = self._head(outcome, bans)
        now_ms, wall_ms = self._clock.monotonic_ms(), self._clock.wall_ms()
        if side is not None:
            head.restore(side, now_ms, wall_ms)
        head.replay(recent.events, now_ms, wall_ms)
        shards = self._settings.history_shards or config.shards
        partitions = Partitions.of(config.game, shards, config.partitions)
        writers = config.writers
        if not own:
            writers = await self._supersede(config, fence, outcome, partitions)
        return Game(
            outcome.replica,
            head,
            self._store.journal,
            fence,
            self._clock,
            config_seq=config.seq,
            last_sk=outcome.last_sk,
            writers=Writers(writers),
            partitions=partitions,
            commit_interval=self._store.commit_interval,
        )

    async def _side(self, game: str, seq: int) -> dict[str, Any] | None:
        try:
            blob = await self._reading.blobs.get(side_key(game, seq))
            side = None if blob is None else orjson.loads(blob.data)
        except (StoreDamaged, ValueError) as error:
            damage = StoreDamaged(f"the side blob of seq {seq} cannot be read: {error}", STANDS_IN)
            self._listener.damaged(damage)
            return None
        return side if side is None or side["seq"] == seq else None

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

    async def _supersede(
        self, config: GameConfig, fence: int, outcome: Outcome, partitions: Partitions
    ) -> Mapping[int, int]:
        """Delete what was never published, and bar the former writers from adding to it."""
        if outcome.orphans:
            await self._store.journal.delete(outcome.orphans)
        writers = {**config.writers, fence - 1: outcome.replica.seq}
        kept = sorted(writers)[-KEPT_WRITERS:]
        update = Update(
            CONFIG,
            key_of(config.game),
            set={
                "writers": {str(f): writers[f] for f in kept},
                "historyPartitions": list(partitions.used),
                "historyShards": len(partitions.written),
                "fence": fence,
            },
            condition=replace(served_by(config.fence), equals=_as_read(config)),
        )
        try:
            await self._store.tables.write(update)
        except ConditionFailed as error:
            raise TransientFault(
                f"the config of {config.game} was changed while it was read",
                "its last writer was still at it; start again",
            ) from error
        return writers


def _check_fence(config: GameConfig, fence: int) -> None:
    """Refuse a fence that was given before: what is placed under it would be taken for leftovers.

    So it is where the lease's item was taken away between a server's look and its taking.
    """
    if fence <= config.last_fence:
        raise StoreDamaged(
            f"the lease gave the fence {fence}, but {config.game} had the fence"
            f" {config.last_fence} already: the lease's item was taken away or put back",
            "start again: the next fence is taken above it; `tesserae lease show` tells it",
        )


def _as_read(config: GameConfig) -> Mapping[str, Any]:
    """Return what a late control event of the last writer, or its successor, would have changed."""
    fence = {"fence": config.fence} if config.fence else {}
    return {"epoch": config.epoch, "seq": config.seq, **fence}


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


def _lookback_ms(config: GameConfig, *, has_side: bool) -> int:
    """How long before the snapshot history is read, for the ring and for requests."""
    return RING_MS if has_side else max(RING_MS, KEPT_MS, config.settings.cooldown.full_ms)
