"""Importing a base picture: its blob first, then one numbered event.

Owns the order that leaves either nothing or the whole, whenever the process dies, and the rule on
when a picture may bring a palette of its own. Called by the operator's command and by the command
line where no server runs.
"""

import asyncio
from dataclasses import dataclass

from canvas.base import LaidPicture, check_place, covers
from canvas.events import BaseImported
from canvas.palette import Palette
from canvas.refusals import Refused
from persistence.ports import Blobs
from server.game.base_blob import BasePicture
from server.game.game import Game
from server.wire.codes import ErrorCode


class ImportRefused(ValueError):  # noqa: N818  # an answer with a code, as refusals are
    """A picture does not suit the board; nothing was changed, and the text tells the remedy."""

    def __init__(self, code: str, message: str) -> None:
        super().__init__(message)
        self.code = code


@dataclass(frozen=True, slots=True)
class Place:
    """Where a picture goes; `generation` is the one that x and y are meant in."""

    x: int
    y: int
    generation: int


@dataclass(frozen=True, slots=True)
class Import:
    """What is to be laid where, and by whom."""

    picture: BasePicture
    place: Place
    user_id: str
    palette: Palette | None = None
    """Put in force together with the picture."""
    epoch: str | None = None
    """Begun together with the picture, where nobody watches."""


async def import_base(game: Game, blobs: Blobs, wanted: Import) -> BaseImported:
    """Lay a picture on a game's board; returns once that is published.

    Raises ImportRefused, and StoreError when the store refuses; nothing is changed then.
    """
    picture, key = wanted.picture, wanted.picture.key(game.name)
    laid = await _laid(game, wanted)
    # Durable before it is numbered; a blob that no event speaks of is harmless.
    await blobs.put(key, picture.deflated, picture.to_blob().metadata)
    while laid.frame != game.head.geometry:
        laid = await _laid(game, wanted)
    if not game.taking:
        raise ImportRefused(Refused.BUSY.code, "the server takes no changes now; import it later")
    palette = wanted.palette or game.head.settings.palette
    changes = None
    if palette != game.head.settings.palette:
        _check_palette(palette, game, laid)
        changes = {"palette": palette.to_json()}
    try:
        laid.check(game.head.geometry, palette)
    except ValueError as error:
        raise ImportRefused(Refused.BAD_COLOR.code, str(error)) from error
    return await game.lay(laid, key, picture.crc32, wanted.user_id, changes, wanted.epoch)


def checked_place(game: Game, place: Place, width: int, height: int) -> tuple[int, int]:
    """Where a picture of that size goes on the board as it now is. Raises ImportRefused."""
    try:
        x, y = game.head.lineage.translate(place.x, place.y, place.generation)
    except ValueError as error:
        raise ImportRefused(Refused.STALE_GENERATION.code, str(error)) from error
    try:
        check_place(width, height, x, y, game.head.geometry)
    except ValueError as error:
        raise ImportRefused(Refused.OUT_OF_BOUNDS.code, str(error)) from error
    return x, y


async def _laid(game: Game, wanted: Import) -> LaidPicture:
    """Lay it out for the board as it now is; in a thread, since a large one takes a second."""
    cells, frame = wanted.picture.cells, game.head.geometry
    x, y = checked_place(game, wanted.place, cells.shape[1], cells.shape[0])
    try:
        return await asyncio.to_thread(LaidPicture.of, cells, x, y, frame)
    except ValueError as error:
        raise ImportRefused(Refused.BAD_COLOR.code, str(error)) from error


def _check_palette(palette: Palette, game: Game, laid: LaidPicture) -> None:
    """Raise ImportRefused unless nothing but the picture shows a colour of the new palette."""
    empty = game.head.settings.palette.empty
    if palette.empty != empty:
        raise ImportRefused(
            ErrorCode.CONFLICT,
            f"the empty color of {game.name} is number {empty} for good, and the new palette has"
            f" {palette.hint}; give it a color of that number, or import into a new directory",
        )
    if not (covers(laid.cells, game.head.geometry) or is_blank(game)):
        raise ImportRefused(
            ErrorCode.CONFLICT,
            f"{game.name} is painted on, and the picture does not cover all of it: what stays would"
            " change color; import without a palette, or a picture that covers the whole board",
        )


def is_blank(game: Game) -> bool:
    """Whether nothing is on the board, nor on its way there."""
    replica = game.replica
    nothing_pending = game.head.seq == replica.seq
    return nothing_pending and replica.board.is_blank(replica.settings.palette.empty)
