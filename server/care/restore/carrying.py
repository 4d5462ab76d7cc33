"""Carrying a restoring out: the present board is kept, the earlier one laid over it by one event.

Owns the order that leaves the old board or the new one whenever the process dies: a keyframe of the
old board, the blob of the earlier one, then the event together with the new epoch, then a snapshot.
Called by `tesserae restore`, where no server runs.
"""

import asyncio

from canvas.events import BaseImported
from server.care.restore.plan import CannotRestore, Plan
from server.care.solitary import Surroundings, solitary
from server.game.base_blob import BasePicture
from server.game.base_import import Import, Place, import_base
from server.game.config import GameConfig
from server.game.game import Game
from server.recovery.recovery import Recovery
from server.recovery.snapshotter import snapshot_of
from server.recovery.stored_snapshot import keep

OPERATOR = "operator"


async def restore(around: Surroundings, plan: Plan, epoch: str) -> BaseImported:
    """Restore as planned, in the new `epoch`; returns the event that did it.

    Raises CannotRestore when the board is another one by now, and StoreError; nothing that anybody
    sees is changed then.
    """
    picture = await asyncio.to_thread(BasePicture.of, plan.cells)
    place = Place(0, 0, plan.frame.generation)
    palette = plan.palette if plan.sets_palette else None

    async def find(recovery: Recovery) -> GameConfig:
        config = await recovery.load(plan.game)
        if config is None:
            raise _outdated(plan)
        return config

    async with solitary(around, find) as game:
        _check_same(plan, game)
        await _keep_old(around, game)
        return await import_base(
            game, around.store.blobs, Import(picture, place, OPERATOR, palette, epoch)
        )


async def _keep_old(around: Surroundings, game: Game) -> None:
    snapshot = snapshot_of(game, around.clock.wall_ms())
    await keep(around.store.blobs, game.name, snapshot)


def _check_same(plan: Plan, game: Game) -> None:
    replica = game.replica
    looked_at = (plan.epoch, plan.newest_seq, plan.frame)
    if (replica.epoch, replica.seq, replica.lineage.geometry) != looked_at:
        raise _outdated(plan)


def _outdated(plan: Plan) -> CannotRestore:
    return CannotRestore(
        f"{plan.game} went on since it was looked at, at seq {plan.newest_seq}; nothing was"
        " changed: run the same command again to see what it would undo now"
    )
