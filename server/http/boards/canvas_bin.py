"""`canvas.bin`: the packed board, or a part of it repacked.

Owns its headers, ETag and compression. Always the newest published board, so never older than an
ack that the client has. A compressed board is kept until the next pixel, and made once for all who
wait for it.
"""

import asyncio
from collections import defaultdict
from contextlib import nullcontext
from http import HTTPStatus

from aiohttp import hdrs, web

from canvas.packing import crop
from canvas.region import Region
from server.commands.area import CORNERS
from server.game.game import Game
from server.http.boards import costs
from server.http.boards.copies import Sheet, part_of_board, sheet_of, whole_board
from server.http.boards.strips import Strip, strip_bytes
from server.http.bodies import Body, Outbox, gzipped, is_known, send, wants_gzip
from server.http.caller import Callers, pay
from server.http.reading import game_of, only, region_of

PATH = "/api/games/{game}/canvas.bin"
BINARY_TYPE = "application/octet-stream"
OWN_HEADERS = (
    EPOCH := "Tesserae-Epoch",
    SEQ := "Tesserae-Seq",
    GENERATION := "Tesserae-Generation",
    WIDTH := "Tesserae-Width",
    HEIGHT := "Tesserae-Height",
)

SMALL_BYTES = 64 * 1024
MAX_LARGE_AT_ONCE = 2
"""Parts that are cut out and compressed: a large one takes some tenths of a second of a core."""


def routes(callers: Callers, outbox: Outbox) -> list[web.RouteDef]:
    """Give the route."""
    press = Press()

    async def canvas_bin(request: web.Request) -> web.StreamResponse:
        game = await game_of(request, callers.services)
        purse = (await callers.of(request)).allowance
        pay(request, purse)
        only(request, CORNERS)
        region = region_of(request, game.replica.lineage.geometry)
        sheet, gzip = sheet_of(game.replica), wants_gzip(request)
        if is_known(request, _etag(sheet), _etag(sheet, gzip=True)):
            headers = _headers(sheet, region, gzip=gzip)
            return web.Response(status=HTTPStatus.NOT_MODIFIED, headers=headers)
        size_bytes = _copied_bytes(game, region)
        with outbox.room(size_bytes):
            pay(request, purse, costs.of_board(size_bytes))
            sheet, body = await press.body(game, region, gzip=gzip)
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


class Press:
    """Packs and compresses what is asked for, as much of it at once as the board can bear."""

    def __init__(self) -> None:
        self._compressed = Compressed()
        self._large = asyncio.Semaphore(MAX_LARGE_AT_ONCE)

    async def body(self, game: Game, region: Region | None, *, gzip: bool) -> tuple[Sheet, Body]:
        """Give the bytes of the present. Raises Problem (503)."""
        if region is None:
            return await (self._compressed.of(game) if gzip else whole_board(game.replica))
        # Small parts do not wait behind large ones, each of which holds a core for a while.
        is_small = strip_bytes(game.replica.board, region) <= SMALL_BYTES
        async with nullcontext() if is_small else self._large:
            sheet, strip = await part_of_board(game.replica, region)
            part = await asyncio.to_thread(_crop, strip)
            return sheet, await gzipped(part) if gzip else part


def _crop(strip: Strip) -> bytes:
    return crop(strip.cells, strip.width, strip.region)


class Compressed:
    """The newest compressed board of each game, and the one that is being made."""

    def __init__(self) -> None:
        self._latest: dict[str, tuple[Sheet, bytes]] = {}
        self._next: dict[str, asyncio.Task[tuple[Sheet, bytes]]] = {}
        self._locks: defaultdict[str, asyncio.Lock] = defaultdict(asyncio.Lock)

    async def of(self, game: Game) -> tuple[Sheet, bytes]:
        """Compress a whole board, once for all who ask before it is begun."""
        task = self._next.get(game.name)
        if task is None:
            task = asyncio.get_running_loop().create_task(self._made(game))
            self._next[game.name] = task
        # One client that leaves must not take it away from the others.
        return await asyncio.shield(task)

    async def _made(self, game: Game) -> tuple[Sheet, bytes]:
        async with self._locks[game.name]:
            # Whoever asks from here on may know of a later pixel.
            del self._next[game.name]
            latest = self._latest.get(game.name)
            if latest is not None and latest[0] == sheet_of(game.replica):
                return latest
            sheet, packed = await whole_board(game.replica)
            made = self._latest[game.name] = (sheet, await gzipped(packed))
            return made
