"""`importBase`: an operator lays a picture over a board; by HTTP, since it may be large.

One at a time for each game: a picture of 8000 x 8000 takes 130 MB while it is laid out.
"""

import asyncio
from binascii import Error as NotBase64
from binascii import a2b_base64
from http import HTTPStatus
from typing import Any

from pydantic import Field

from canvas.base import check_taken
from canvas.geometry import MAX_SIDE
from canvas.palette import MAX_COLORS, Palette
from canvas.refusals import Refusal, Refused
from persistence.errors import TransientFault
from server.access.identity import Role
from server.commands.registry import (
    U32,
    Call,
    Command,
    Done,
    Failed,
    Http,
    Outcome,
    Reply,
    Request,
    bad_request,
    refused,
)
from server.commands.watching import GameName, find
from server.game.base_blob import BasePicture
from server.game.base_import import Import, ImportRefused, Place, checked_place, import_base
from server.game.game import Game
from server.wire.codes import ErrorCode

MAX_BODY_BYTES = 64 * 1024 * 1024
"""8000 x 8000 cells of pure chance deflate to 37 MB, which are 50 MB in base64."""
BUSY_RETRY_MS = 5000


class BaseColor(Request):
    """A colour of the palette that comes with a picture."""

    rgb: str = Field(max_length=7)
    name: str = ""


class ImportBase(Request):
    """A picture, and where its first cell goes."""

    game: GameName
    x: int = 0
    y: int = 0
    generation: U32 | None = None
    """The generation that x and y are meant in; the current one when it is left out."""
    width: int = Field(ge=1, le=MAX_SIDE)
    height: int = Field(ge=1, le=MAX_SIDE)
    cells: str
    """One byte a cell, row by row, 255 where the board keeps its own; deflated (zlib), base64."""
    palette: list[BaseColor | None] | None = Field(default=None, max_length=MAX_COLORS)
    """Put in force with the picture, where nothing else would change colour."""


class BaseReply(Reply):
    """The picture as it was numbered; it is committed and published."""

    game: GameName
    seq: int
    generation: int
    x: int
    y: int
    width: int
    height: int


async def _import(call: Call[ImportBase]) -> Outcome:
    asked = call.request
    game = await find(call.caller.services, asked.game)
    if isinstance(game, Failed):
        return game
    if game.importing:
        return Failed(ErrorCode.CONFLICT, "another picture is being imported; wait until it is in")
    game.importing = True
    try:
        return await _lay(call, game)
    except ImportRefused as no:
        return _busy(str(no)) if no.code == Refused.BUSY.code else Failed(no.code, str(no))
    except TransientFault as fault:
        return _busy(f"{fault}; nothing was changed: {fault.hint}")
    finally:
        game.importing = False


async def _lay(call: Call[ImportBase], game: Game) -> Outcome:
    asked = call.request
    generation = game.head.geometry.generation if asked.generation is None else asked.generation
    place = Place(asked.x, asked.y, generation)
    # Before anything is inflated, which bounds it by the board.
    checked_place(game, place, asked.width, asked.height)
    try:
        palette = _palette(asked, game)
    except ValueError as error:
        return bad_request("palette", str(error))
    try:
        picture = await asyncio.to_thread(_picture, asked)
    except ValueError as error:
        return bad_request("cells", str(error))
    wanted = Import(picture, place, call.caller.user_id or "", palette)
    event = await import_base(game, call.caller.services.blobs, wanted)
    fields = {name: getattr(event, name) for name in BaseReply.model_fields if name != "game"}
    return Done({"game": game.name, **fields})


def _palette(asked: ImportBase, game: Game) -> Palette | None:
    if asked.palette is None:
        return None
    colors: list[Any] = [None if color is None else color.model_dump() for color in asked.palette]
    return Palette.from_json(colors, game.head.settings.palette.empty)


def _picture(asked: ImportBase) -> BasePicture:
    try:
        deflated = a2b_base64(asked.cells, strict_mode=True)
    except (NotBase64, ValueError) as error:
        raise ValueError(f"must be base64: {error}") from error
    picture = BasePicture.read(deflated, asked.width, asked.height)
    check_taken(picture.cells)
    return picture


def _busy(message: str) -> Failed:
    return refused(Refusal(Refused.BUSY, message, BUSY_RETRY_MS))


COMMAND = Command(
    "importBase",
    "Lay a picture over the board",
    ImportBase,
    BaseReply,
    None,
    Http(
        "POST",
        "/api/games/{game}/base",
        HTTPStatus.CREATED,
        handler=_import,
        needs_token=True,
        max_body_bytes=MAX_BODY_BYTES,
    ),
    cost=20,
    roles=frozenset({Role.ADMIN}),
)
