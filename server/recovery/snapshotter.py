"""The snapshotter: stores a game's board now and then, off the loop, so that starts stay short.

Owns when a snapshot is due (by time, by pixels, after a base picture) and what is in its side blob.
A failed one is told and tried again at the next occasion; nothing depends on it but the time that a
recovery takes.
"""

import asyncio
from collections.abc import Callable
from contextlib import suppress

from persistence.errors import ConditionFailed, LeaseLost, StoreError
from persistence.ports import Condition, Store, Update
from persistence.tables import CONFIG
from server.clock import Clock
from server.game.config import key_of
from server.game.game import Game
from server.recovery.pieces import encoded
from server.recovery.stored_snapshot import SnapshotWriter, StoredSnapshot

CHECK_EVERY = 1.0


class Snapshotter:
    """Stores one game's snapshots; `run` is its only task."""

    def __init__(
        self,
        game: Game,
        store: Store,
        clock: Clock,
        *,
        every_ms: int,
        every_events: int,
        on_error: Callable[[Game, StoreError], None],
        on_stored: Callable[[Game, int], None],
    ) -> None:
        self._game = game
        self._store = store
        self._clock = clock
        self._every_ms = every_ms
        self._every_events = every_events
        self._on_error = on_error
        self._on_stored = on_stored
        self._writer = SnapshotWriter(store.blobs, game.name)
        self._stored_seq = 0
        self._stored_ms = clock.monotonic_ms()
        self._tried_ms = clock.monotonic_ms()
        self._storing = asyncio.Lock()

    @property
    def behind(self) -> int:
        """Events since the last snapshot of this run: what a start would have to read."""
        return self._game.replica.seq - self._stored_seq

    @property
    def age_ms(self) -> int:
        """Age of that snapshot, or of the run while there is none."""
        return self._clock.monotonic_ms() - self._stored_ms

    async def run(self) -> None:
        """Look every second whether one is due."""
        while True:
            await asyncio.sleep(CHECK_EVERY)
            if self._due():
                await self.store_now()

    def _due(self) -> bool:
        new_events = self.behind
        waited_ms = self._clock.monotonic_ms() - self._tried_ms
        if new_events == 0 or waited_ms < CHECK_EVERY * 1000:
            return False
        if self._game.replica.base_seq > self._stored_seq:
            return True  # a start would have to read the picture again
        return new_events >= self._every_events or waited_ms >= self._every_ms

    async def store_now(self) -> None:
        """Store what is published, unless it is stored already; errors are told, not raised.

        But for LeaseLost, which is the end: somebody else stores snapshots now.
        """
        async with self._storing:
            self._tried_ms = self._clock.monotonic_ms()
            if not self.behind:
                return
            started_ms = self._clock.monotonic_ms()
            snapshot = snapshot_of(self._game, self._clock.wall_ms())
            dump = self._game.head.dump(started_ms, snapshot.at_ms)
            side = await asyncio.to_thread(lambda: encoded(dump()))
            try:
                await self._writer.write(snapshot, side)
                await self._raise_config_seq(snapshot.seq)
            except LeaseLost:
                raise
            except StoreError as error:
                self._on_error(self._game, error)
                return
            self._stored_seq = snapshot.seq
            self._stored_ms = started_ms
            self._on_stored(self._game, self._clock.monotonic_ms() - started_ms)

    async def _raise_config_seq(self, seq: int) -> None:
        known = self._game.config_seq
        if seq <= known:
            return
        update = Update(
            CONFIG,
            key_of(self._game.name),
            set={"seq": seq},
            condition=Condition(equals={"seq": known, "fence": self._game.fence}),
        )
        with suppress(ConditionFailed):  # a control event has raised it further meanwhile
            await self._store.tables.write(update)
            self._game.config_seq = seq


def snapshot_of(game: Game, at_ms: int) -> StoredSnapshot:
    """Take what is published as a snapshot of that moment."""
    replica = game.replica
    geometry = replica.lineage.geometry
    return StoredSnapshot(
        packed=replica.board.to_bytes(),
        seq=replica.seq,
        last_sk=game.last_sk,
        epoch=replica.epoch,
        generation=geometry.generation,
        width=geometry.width,
        height=geometry.height,
        offset_x=geometry.offset_x,
        offset_y=geometry.offset_y,
        fence=game.fence,
        at_ms=at_ms,
    )
