"""A new epoch: whoever has a number of the board takes a snapshot of it anew.

Owns the order: the config first, then a snapshot in the new epoch, which only keeps the next start
short. History and board stay as they are. Called by `tesserae epoch new`, where no server runs.
"""

from dataclasses import dataclass

from persistence.errors import ConditionFailed, PermanentFault
from persistence.ports import Condition, Update
from persistence.tables import CONFIG
from server.care.solitary import Surroundings, solitary
from server.game.config import GameConfig, key_of
from server.recovery.recovery import Recovery


@dataclass(frozen=True, slots=True)
class Begun:
    """An epoch that has begun."""

    before: str
    epoch: str
    seq: int
    """Where the board is; numbers go on from here."""


async def begin_epoch(around: Surroundings, game: str, epoch: str) -> Begun:
    """Begin an epoch of a game. Raises StoreError, and then nothing was changed.

    The board is recovered first, so that damage is told before anything is written.
    """

    async def find(recovery: Recovery) -> GameConfig:
        config = await recovery.load(game)
        if config is None:
            raise PermanentFault(f"there is no game {game}", "give another one with --game")
        return config

    async with solitary(around, find) as recovered:
        before = recovered.epoch
        condition = Condition(equals={"epoch": before})
        update = Update(CONFIG, key_of(game), set={"epoch": epoch}, condition=condition)
        try:
            await around.store.tables.write(update)
        except ConditionFailed:
            # A put whose answer was lost is found to be there by the one after it.
            item = await around.store.tables.get(CONFIG, key_of(game))
            if item is None or item["epoch"] != epoch:
                raise
        recovered.replica.epoch = epoch
        return Begun(before, epoch, recovered.replica.seq)
