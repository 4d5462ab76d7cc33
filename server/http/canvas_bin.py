"""`canvas.bin`: the packed board, or a part of it repacked.

Owns its headers, ETag and compression. Always the newest published board, so never older than an
ack that the client has. A compressed board is kept until the next pixel, and made once for all.
"""

import asyncio
from dataclasses import dataclass
from http import HTTPStatus

import numpy as np
from aiohttp import hdrs, web

from canvas.packing import crop
from canvas.region import Region
from server.game import Game
from server.http.bodies import Outbox, gzipped, is_known, wants_gzip
from server.http.reading import game_of, region_of
from server.services import Services

BINARY_TYPE = "application/octet-stream"


@dataclass(frozen=True, slots=True)
class Copy:
    """The board at one seq."""

    epoch: str
    seq: int
    generation: int
    width: int
    height: int
    packed: bytes

    @property
    def etag(self) -> str:
        """Names the bytes as they are."""
        return f'"{self.epoch}-{self.seq}"'

    @property
    def gzip_etag(self) -> str:
        """Names them compressed: other bytes need another name."""
        return f'"{self.epoch}-{self.seq}-gzip"'

    def headers(self, etag: str, region: Region | None) -> dict[str, str]:
        """Say what the bytes are; width and height are those of the part."""
        width, height = self.width, self.height
        if region is not None:
            width, height = region.width, region.height
        return {
            hdrs.CONTENT_TYPE: BINARY_TYPE,
            hdrs.CACHE_CONTROL: "no-cache",
            hdrs.VARY: hdrs.ACCEPT_ENCODING,
            hdrs.ETAG: etag,
            "Tesserae-Epoch": self.epoch,
            "Tesserae-Seq": str(self.seq),
            "Tesserae-Generation": str(self.generation),
            "Tesserae-Width": str(width),
            "Tesserae-Height": str(height),
        }


def routes(services: Services, outbox: Outbox) -> list[web.RouteDef]:
    """Give the route."""
    compressed = Compressed()

    async def canvas_bin(request: web.Request) -> web.StreamResponse:
        game = game_of(request, services)
        region = region_of(request, game.replica.lineage.geometry)
        gzip = wants_gzip(request)
        copy = _copy(game)
        headers = copy.headers(copy.gzip_etag if gzip else copy.etag, region)
        if is_known(request, copy.etag, copy.gzip_etag):
            return web.Response(status=HTTPStatus.NOT_MODIFIED, headers=headers)
        if gzip:
            headers[hdrs.CONTENT_ENCODING] = "gzip"
        return await outbox.send(request, await body(game.name, copy, region, gzip), headers)

    async def body(game: str, copy: Copy, region: Region | None, gzip: bool) -> bytes:
        if region is not None:
            part = await asyncio.to_thread(_cropped, copy, region)
            return await gzipped(part) if gzip else part
        return await compressed.of(game, copy) if gzip else copy.packed

    return [web.get("/api/games/{game}/canvas.bin", canvas_bin)]


def _copy(game: Game) -> Copy:
    replica = game.replica
    geometry, packed = replica.lineage.geometry, replica.board.to_bytes()
    return Copy(
        replica.epoch, replica.seq, geometry.generation, geometry.width, geometry.height, packed
    )


def _cropped(copy: Copy, region: Region) -> bytes:
    return crop(np.frombuffer(copy.packed, np.uint8), copy.width, region)


class Compressed:
    """The newest compressed board of each game, and the one that is being made."""

    def __init__(self) -> None:
        self._latest: dict[str, tuple[str, asyncio.Task[bytes]]] = {}

    async def of(self, game: str, copy: Copy) -> bytes:
        """Compress a whole board, once for all who ask at the same seq."""
        etag, task = self._latest.get(game, ("", None))
        if task is None or etag != copy.etag:
            task = asyncio.get_running_loop().create_task(gzipped(copy.packed))
            self._latest[game] = (copy.etag, task)
        # One client that leaves must not take it away from the others.
        return await asyncio.shield(task)
