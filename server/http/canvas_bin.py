"""`canvas.bin`: the packed board, or a part of it repacked.

Owns its headers, ETag and compression. Always the newest published board, so never older than an
ack that the client has. A compressed board is kept until the next pixel, and made once for all.
"""

import asyncio
from dataclasses import dataclass
from http import HTTPStatus

from aiohttp import hdrs, web

from canvas.packing import crop
from canvas.region import Region
from server.game.game import Game
from server.http.bodies import Outbox, gzipped, is_known, send, wants_gzip
from server.http.reading import game_of, region_of
from server.http.strips import Strip, strip_bytes, strip_of
from server.session.services import Services

BINARY_TYPE = "application/octet-stream"
OWN_HEADERS = (
    EPOCH := "Tesserae-Epoch",
    SEQ := "Tesserae-Seq",
    GENERATION := "Tesserae-Generation",
    WIDTH := "Tesserae-Width",
    HEIGHT := "Tesserae-Height",
)


@dataclass(frozen=True, slots=True)
class Sheet:
    """Which board it is: the same for all who ask before the next pixel."""

    epoch: str
    seq: int
    generation: int
    width: int
    height: int

    @property
    def etag(self) -> str:
        """Names the bytes as they are."""
        return f'"{self.epoch}-{self.seq}"'

    @property
    def gzip_etag(self) -> str:
        """Names them compressed: other bytes need another name."""
        return f'"{self.epoch}-{self.seq}-gzip"'

    def headers(self, region: Region | None, *, gzip: bool) -> dict[str, str]:
        """Say what the bytes are; width and height are those of the part."""
        width, height = self.width, self.height
        if region is not None:
            width, height = region.width, region.height
        return {
            hdrs.CONTENT_TYPE: BINARY_TYPE,
            hdrs.CACHE_CONTROL: "no-cache",
            hdrs.VARY: hdrs.ACCEPT_ENCODING,
            hdrs.ETAG: self.gzip_etag if gzip else self.etag,
            EPOCH: self.epoch,
            SEQ: str(self.seq),
            GENERATION: str(self.generation),
            WIDTH: str(width),
            HEIGHT: str(height),
        }


def routes(services: Services, outbox: Outbox) -> list[web.RouteDef]:
    """Give the route."""
    compressed = Compressed()

    async def canvas_bin(request: web.Request) -> web.StreamResponse:
        game = game_of(request, services)
        region = region_of(request, game.replica.lineage.geometry)
        sheet, gzip = _sheet(game), wants_gzip(request)
        headers = sheet.headers(region, gzip=gzip)
        if is_known(request, sheet.etag, sheet.gzip_etag):
            return web.Response(status=HTTPStatus.NOT_MODIFIED, headers=headers)
        with outbox.room(_copied_bytes(game, region)):
            body = await _body(game, sheet, region, compressed if gzip else None)
            if gzip:
                headers[hdrs.CONTENT_ENCODING] = "gzip"
            return await send(request, body, headers)

    return [web.get("/api/games/{game}/canvas.bin", canvas_bin)]


def _copied_bytes(game: Game, region: Region | None) -> int:
    board = game.replica.board
    return board.packed.nbytes if region is None else strip_bytes(board, region)


def _sheet(game: Game) -> Sheet:
    replica = game.replica
    geometry = replica.lineage.geometry
    return Sheet(replica.epoch, replica.seq, geometry.generation, geometry.width, geometry.height)


async def _body(
    game: Game, sheet: Sheet, region: Region | None, compressed: "Compressed | None"
) -> bytes:
    """Take the bytes of the sheet; they are copied before anything is awaited."""
    if region is None:
        return await compressed.of(game, sheet) if compressed else game.replica.board.to_bytes()
    part = await asyncio.to_thread(_crop, strip_of(game.replica.board, region))
    return await gzipped(part) if compressed else part


def _crop(strip: Strip) -> bytes:
    return crop(strip.cells, strip.width, strip.region)


class Compressed:
    """The newest compressed board of each game, and the one that is being made."""

    def __init__(self) -> None:
        self._latest: dict[str, tuple[str, asyncio.Task[bytes]]] = {}

    async def of(self, game: Game, sheet: Sheet) -> bytes:
        """Compress a whole board, once for all who ask at the same seq."""
        etag, task = self._latest.get(game.name, ("", None))
        if task is None or etag != sheet.etag:
            packed = game.replica.board.to_bytes()
            task = asyncio.get_running_loop().create_task(gzipped(packed))
            self._latest[game.name] = (sheet.etag, task)
        # One client that leaves must not take it away from the others.
        return await asyncio.shield(task)
