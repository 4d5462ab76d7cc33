"""An import where no server runs: a picture is laid on the game that is stored.

Owns that it is the board that was looked at. Founds the game when there is none. Called by
`tesserae canvas import`.
"""

from canvas.events import BaseImported
from server.care.solitary import Surroundings, solitary
from server.game.base_import import Import, ImportRefused, import_base
from server.game.config import GameConfig
from server.recovery.recovery import Recovery
from server.wire.codes import ErrorCode


async def import_offline(
    around: Surroundings, founding: GameConfig, wanted: Import
) -> BaseImported:
    """Lay a picture on the game that is stored, or on the one that is founded.

    `founding` has the epoch of the board that was looked at. Raises ImportRefused and StoreError,
    and then nothing of the picture is seen by anybody.
    """

    async def find(recovery: Recovery) -> GameConfig:
        config = await recovery.load_or_found(founding)
        if config.epoch != founding.epoch:
            raise ImportRefused(
                ErrorCode.CONFLICT,
                f"{config.game} has become another board since it was looked at; nothing was"
                " changed: run the same command again to see what it would change now",
            )
        return config

    async with solitary(around, find) as game:
        return await import_base(game, around.store.blobs, wanted)
