"""Importing a base picture: its blob first, then one numbered event.

Owns the order that leaves either nothing or the whole, whenever the process dies, and the rule on
when a picture may bring a palette of its own. Called by the operator's command and by the command
line where no server runs.
"""

import asyncio
from dataclasses import dataclass

import numpy as np

from canvas.base import UNTOUCHED, LaidPicture
from canvas.board import Board
from canvas.events import BaseImported
from canvas.geometry import Geometry
from canvas.palette import Palette
from persistence.ports import Blobs
from server.game.base_blob import BasePicture
from server.game.game import Game


@dataclass(frozen=True, slots=True)
class Import:
    """What is to be laid where, and by whom."""

    picture: BasePicture
    x: int
    y: int
    generation: int
    """The one that x and y are meant in."""
    user_id: str
    palette: Palette | None = None
    """Put in force together with the picture."""


async def import_base(game: Game, blobs: Blobs, wanted: Import) -> BaseImported:
    """Lay a picture on a game's board; returns once that is published.

    Raises ValueError, telling the remedy, for what does not suit the board, and StoreError when
    the store refuses; nothing is changed then.
    """
    picture, key = wanted.picture, wanted.picture.key(game.name)
    laid = await _laid(game, wanted)
    # Durable before it is numbered; a blob that no event speaks of is harmless.
    await blobs.put(key, picture.deflated, picture.to_blob().metadata)
    while laid.frame != game.head.geometry:
        laid = await _laid(game, wanted)
    changes = None
    if wanted.palette is not None and wanted.palette != game.head.settings.palette:
        check_palette(wanted.palette, game, laid)
        changes = {"palette": wanted.palette.to_json()}
    return await game.lay(laid, key, picture.crc32, wanted.user_id, changes)


async def _laid(game: Game, wanted: Import) -> LaidPicture:
    """Lay it out for the board as it now is; in a thread, since a large one takes a second."""
    x, y = game.head.lineage.translate(wanted.x, wanted.y, wanted.generation)
    cells, frame = wanted.picture.cells, game.head.geometry
    return await asyncio.to_thread(LaidPicture.of, cells, x, y, frame)


def check_palette(palette: Palette, game: Game, laid: LaidPicture) -> None:
    """Raise ValueError unless a palette may come with a picture: nothing else may change color."""
    settings = game.head.settings
    if palette.empty != settings.palette.empty:
        raise ValueError(
            f"the empty color of {game.name} is number {settings.palette.empty} for good, which the"
            " new palette does not have as a color; give it one of that number, or import into a"
            " new --data directory"
        )
    if not (covers(laid, game.head.geometry) or is_blank(game)):
        raise ValueError(
            f"{game.name} is painted on, and the picture does not cover all of it: what stays would"
            " change color with the palette; import without --palette, or a picture that covers"
            " the whole board"
        )


def covers(laid: LaidPicture, frame: Geometry) -> bool:
    """Whether a picture leaves no cell of a board as it is."""
    whole = laid.cells.shape == (frame.height, frame.width)
    return whole and not bool((laid.cells == UNTOUCHED).any())


def is_blank(game: Game) -> bool:
    """Whether nothing is on the board, nor on its way there."""
    replica = game.replica
    if game.head.seq != replica.seq:
        return False
    board, empty = replica.board, replica.settings.palette.empty
    return np.array_equal(board.packed, Board(board.width, board.height, empty).packed)
