"""A game where no server runs: recovered under the lease, changed, stored, and let go again.

Owns the short life of that game; the store comes opened for writing. What waits for the store is
given up when it is cancelled. Called by `tesserae canvas import` and by `tesserae restore`.
"""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass

from canvas.address import AddressPolicy
from canvas.bans import Bans
from persistence.errors import StoreError
from persistence.ports import Store
from server.clock import Clock
from server.game.config import GameConfig
from server.game.game import Game, GameListener
from server.recovery.fences import last_fence
from server.recovery.holding import holding
from server.recovery.reader import RecoveryEvents
from server.recovery.recovery import Recovery, RecoverySettings
from server.recovery.snapshotter import Snapshotter

Complaint = Callable[[StoreError], None]
FindConfig = Callable[[Recovery], Awaitable[GameConfig]]


@dataclass(frozen=True, slots=True)
class Surroundings:
    """What such a game lives on."""

    store: Store
    clock: Clock
    policy: AddressPolicy
    """The server's, whose running limits are stored with the board."""
    recovering: RecoveryEvents
    complain: Complaint
    """Told that the store is away, for which is waited, and of a snapshot that failed."""


@asynccontextmanager
async def solitary(around: Surroundings, find: FindConfig) -> AsyncIterator[Game]:
    """Recover the game whose config is found, and store its board when the block ends well.

    Raises StoreError, and then nothing was changed.
    """
    above = await last_fence(around.store.tables)
    async with holding(around.store.lease, above=above) as fence:
        game = await _recovered(around, find, fence)
        game.listen(_publishing(around.complain))
        committing = asyncio.create_task(game.committer.run())
        try:
            yield game
        finally:
            # All is committed by now, or what is not is to be given up.
            committing.cancel()
            await asyncio.wait([committing])
        await _store_snapshot(game, around)


async def _recovered(around: Surroundings, find: FindConfig, fence: int) -> Game:
    # Nobody watches or places here.
    limits = RecoverySettings(ring_events=1, max_pending=1, policy=around.policy)
    recovery = Recovery(around.store, around.clock, limits, around.recovering)
    return await recovery.recover(await find(recovery), fence, Bans())


def _publishing(complain: Complaint) -> GameListener:
    def ready(game: Game) -> None:
        game.publish()

    def delayed(_game: Game, fault: StoreError) -> None:
        complain(fault)

    def at_once(_game: Game, _took: float) -> float:
        return 0.0

    def over(*_: object) -> None:
        """Go on; whoever waits is told of the outcome."""

    return GameListener(ready, at_once, delayed, over, over)


async def _store_snapshot(game: Game, around: Surroundings) -> None:
    """A failed one costs the next start some time, and nothing else."""
    await Snapshotter(
        game,
        around.store,
        around.clock,
        every_ms=0,
        every_events=0,
        on_error=lambda _game, error: around.complain(error),
        on_stored=lambda _game, _took_ms: None,
    ).store_now()
