"""An import where no server runs: the game is recovered, laid upon, stored, and let go again.

Owns the short life of that game; the store comes opened for writing, so its lock is held. Founds
the game when there is none. Called by `tesserae canvas import`.
"""

import asyncio
from collections.abc import Callable

from canvas.address import AddressPolicy
from canvas.bans import Bans
from canvas.events import BaseImported
from persistence.errors import StoreError
from persistence.ports import Store
from server.clock import Clock
from server.game.base_import import Import, ImportRefused, import_base
from server.game.config import GameConfig
from server.game.game import Game, GameListener
from server.recovery.reader import RecoveryEvents
from server.recovery.recovery import Recovery, RecoverySettings
from server.recovery.snapshotter import Snapshotter
from server.wire.codes import ErrorCode

Complaint = Callable[[StoreError], None]


async def import_offline(
    store: Store,
    clock: Clock,
    founding: GameConfig,
    policy: AddressPolicy,
    wanted: Import,
    recovering: RecoveryEvents,
    complain: Complaint,
) -> BaseImported:
    """Lay a picture on the game that is stored, or on the one that is founded.

    `founding` has the epoch of the board that was looked at; `policy` is the server's, whose
    running limits are stored with the board. Raises ImportRefused and StoreError, and then nothing
    of the picture is seen by anybody. While the store is away, which `complain` is told of, it
    waits; what waits is given up when it is cancelled.
    """
    fence = await store.lease.acquire()
    # Nobody watches or places here.
    limits = RecoverySettings(ring_events=1, max_pending=1, policy=policy)
    recovery = Recovery(store, clock, limits, recovering)
    config = await recovery.load_or_found(founding)
    if config.epoch != founding.epoch:
        raise ImportRefused(
            ErrorCode.CONFLICT,
            f"{config.game} has become another board since it was looked at; nothing was changed:"
            " run the same command again to see what it would change now",
        )
    game = await recovery.recover(config, fence, Bans())
    game.listen(_publishing(complain))
    committing = asyncio.create_task(game.committer.run())
    try:
        event = await import_base(game, store.blobs, wanted)
    finally:
        # All is committed by now, or what is not is to be given up.
        committing.cancel()
        await asyncio.wait([committing])
    await _store_snapshot(game, store, clock, complain)
    await store.lease.release()
    return event


def _publishing(complain: Complaint) -> GameListener:
    def ready(game: Game) -> None:
        game.publish()

    def delayed(_game: Game, fault: StoreError) -> None:
        complain(fault)

    def over(*_: object) -> None:
        """Go on; whoever waits is told of the outcome."""

    return GameListener(ready, delayed, over, over)


async def _store_snapshot(game: Game, store: Store, clock: Clock, complain: Complaint) -> None:
    """A failed one costs the next start some time, and nothing else."""
    await Snapshotter(
        game,
        store,
        clock,
        every_ms=0,
        every_events=0,
        on_error=lambda _game, error: complain(error),
        on_stored=lambda _game, _took_ms: None,
    ).store_now()
