"""`canvas.bin`: the packed board, or a part of it repacked.

Owns its headers, ETag and compression. Always the newest published board, so never older than an
ack that the client has. A compressed board is kept until the next pixel, and made once for all.
"""

import asyncio
from http import HTTPStatus

from aiohttp import hdrs, web

from canvas.packing import crop
from canvas.region import Region
from server.commands.area import CORNERS
from server.game.game import Game
from server.http.boards import costs
from server.http.boards.copies import Sheet, sheet_of, whole_board
from server.http.boards.strips import Strip, strip_bytes, strip_of
from server.http.bodies import Body, Outbox, gzipped, is_known, send, wants_gzip
from server.http.caller import Callers, pay
from server.http.reading import game_of, only, region_of
from server.replica.replica import Replica

PATH = "/api/games/{game}/canvas.bin"
BINARY_TYPE = "application/octet-stream"
OWN_HEADERS = (
    EPOCH := "Tesserae-Epoch",
    SEQ := "Tesserae-Seq",
    GENERATION := "Tesserae-Generation",
    WIDTH := "Tesserae-Width",
    HEIGHT := "Tesserae-Height",
)


def routes(callers: Callers, outbox: Outbox) -> list[web.RouteDef]:
    """Give the route."""
    compressed = Compressed()

    async def canvas_bin(request: web.Request) -> web.StreamResponse:
        game = game_of(request, callers.services)
        purse = (await callers.of(request)).allowance
        pay(request, purse)
        only(request, CORNERS)
        region = region_of(request, game.replica.lineage.geometry)
        sheet, gzip = sheet_of(game.replica), wants_gzip(request)
        if is_known(request, _etag(sheet), _etag(sheet, gzip=True)):
            headers = _headers(sheet, region, gzip=gzip)
            return web.Response(status=HTTPStatus.NOT_MODIFIED, headers=headers)
        size_bytes = _copied_bytes(game, region)
        pay(request, purse, costs.of_board(size_bytes))
        with outbox.room(size_bytes):
            sheet, body = await _body(game, region, compressed if gzip else None)
            return await send(request, body, _headers(sheet, region, gzip=gzip))

    return [web.get(PATH, canvas_bin)]


def _etag(sheet: Sheet, *, gzip: bool = False) -> str:
    """Name the bytes; compressed they are other bytes and need another name."""
    return f'"{sheet.epoch}-{sheet.seq}-gzip"' if gzip else f'"{sheet.epoch}-{sheet.seq}"'


def _headers(sheet: Sheet, region: Region | None, *, gzip: bool) -> dict[str, str]:
    """Say what the bytes are; width and height are those of the part."""
    width, height = sheet.width, sheet.height
    if region is not None:
        width, height = region.width, region.height
    return {
        hdrs.CONTENT_TYPE: BINARY_TYPE,
        hdrs.CACHE_CONTROL: "no-cache",
        hdrs.VARY: hdrs.ACCEPT_ENCODING,
        hdrs.ETAG: _etag(sheet, gzip=gzip),
        EPOCH: sheet.epoch,
        SEQ: str(sheet.seq),
        GENERATION: str(sheet.generation),
        WIDTH: str(width),
        HEIGHT: str(height),
        **({hdrs.CONTENT_ENCODING: "gzip"} if gzip else {}),
    }


def _copied_bytes(game: Game, region: Region | None) -> int:
    board = game.replica.board
    return board.packed.nbytes if region is None else strip_bytes(board, region)


async def _body(
    game: Game, region: Region | None, compressed: "Compressed | None"
) -> tuple[Sheet, Body]:
    if region is None:
        return await (compressed.of(game) if compressed else whole_board(game.replica))
    # Copied before anything is awaited, and so of this seq.
    sheet, strip = sheet_of(game.replica), strip_of(game.replica.board, region)
    part = await asyncio.to_thread(_crop, strip)
    return sheet, await gzipped(part) if compressed else part


def _crop(strip: Strip) -> bytes:
    return crop(strip.cells, strip.width, strip.region)


class Compressed:
    """The newest compressed board of each game, and the one that is being made."""

    def __init__(self) -> None:
        self._latest: dict[str, tuple[str, asyncio.Task[tuple[Sheet, bytes]]]] = {}

    async def of(self, game: Game) -> tuple[Sheet, bytes]:
        """Compress a whole board, once for all who ask at the same seq."""
        wanted = _etag(sheet_of(game.replica))
        etag, task = self._latest.get(game.name, ("", None))
        if task is None or etag != wanted or (task.done() and task.exception() is not None):
            task = asyncio.get_running_loop().create_task(_compressed(game.replica))
            self._latest[game.name] = (wanted, task)
        # One client that leaves must not take it away from the others.
        return await asyncio.shield(task)


async def _compressed(replica: Replica) -> tuple[Sheet, bytes]:
    sheet, packed = await whole_board(replica)
    return sheet, await gzipped(packed)
