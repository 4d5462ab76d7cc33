"""`canvas.png`: a picture of the board, or of a part of it, each cell `scale` pixels wide.

Owns the pictures that are kept (the newest few, by seq) and the bound on how many are drawn at
once. Drawing runs in a thread from a copy.
"""

import asyncio
from collections import OrderedDict
from http import HTTPStatus
from typing import NamedTuple

from aiohttp import hdrs, web

from canvas.packing import cut
from canvas.region import Region
from pictures.drawing import draw
from pictures.limits import largest_scale
from server.commands.area import CORNERS
from server.game.game import Game
from server.http.boards import costs
from server.http.boards.copies import part_of_board
from server.http.boards.strips import Strip
from server.http.bodies import Outbox, is_known, send
from server.http.caller import Callers, pay
from server.http.problems import unavailable
from server.http.reading import SCALE, game_of, only, region_of, scale_of

PATH = "/api/games/{game}/canvas.png"
KEPT = 8
MAX_DRAWN_AT_ONCE = 2
MAX_WAITING = 32
RETRY_MS = 2_000


class Subject(NamedTuple):
    """What a picture shows."""

    game: str
    epoch: str
    seq: int
    region: Region
    scale: int

    @property
    def etag(self) -> str:
        """Names the picture; region and scale are part of its address already."""
        return f'"{self.epoch}-{self.seq}"'


class Gallery:
    """Draws pictures and keeps the newest."""

    def __init__(self) -> None:
        self._kept: OrderedDict[Subject, bytes] = OrderedDict()
        self._drawing = asyncio.Semaphore(MAX_DRAWN_AT_ONCE)
        self._tasks: set[asyncio.Task[tuple[Subject, bytes]]] = set()

    async def picture(self, game: Game, region: Region, scale: int) -> tuple[Subject, bytes]:
        """Give a picture of the present. Raises Problem (503) when too many are asked for."""
        subject = _subject(game, region, scale)
        if subject in self._kept:
            return subject, self._kept[subject]
        if len(self._tasks) >= MAX_WAITING:
            raise unavailable("too many pictures are asked for; try again in a moment", RETRY_MS)
        # A client that leaves ends no thread: its picture counts until it is drawn.
        task = asyncio.get_running_loop().create_task(self._draw(game, region, scale))
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
        return await asyncio.shield(task)

    async def _draw(self, game: Game, region: Region, scale: int) -> tuple[Subject, bytes]:
        """Draw, unless whoever was before has drawn the same; the rows are copied only here."""
        async with self._drawing:
            now = _subject(game, region, scale)
            if now in self._kept:
                return now, self._kept[now]
            sheet, strip = await part_of_board(game.replica, region)
            subject = Subject(game.name, sheet.epoch, sheet.seq, region, scale)
            # Of the same turn as the end of the copy, and so of its seq.
            palette = game.replica.settings.palette.rgb
            self._kept[subject] = await asyncio.to_thread(_drawn, strip, scale, palette)
            if len(self._kept) > KEPT:
                self._kept.popitem(last=False)
            return subject, self._kept[subject]


def _subject(game: Game, region: Region, scale: int) -> Subject:
    return Subject(game.name, game.replica.epoch, game.replica.seq, region, scale)


def _drawn(strip: Strip, scale: int, palette: list[str | None]) -> bytes:
    return draw(cut(strip.cells, strip.width, strip.region), palette, scale)


def routes(callers: Callers, outbox: Outbox) -> list[web.RouteDef]:
    """Give the route."""
    gallery = Gallery()

    async def canvas_png(request: web.Request) -> web.StreamResponse:
        game = await game_of(request, callers.services)
        purse = (await callers.of(request)).allowance
        pay(request, purse)
        only(request, (*CORNERS, SCALE))
        geometry = game.replica.lineage.geometry
        region = region_of(request, geometry) or geometry.whole
        scale = scale_of(request, largest_scale(region.width, region.height))
        known = _subject(game, region, scale).etag
        if is_known(request, known):
            return web.Response(status=HTTPStatus.NOT_MODIFIED, headers=_headers(known))
        pay(request, purse, costs.of_picture(region.width * region.height * scale * scale))
        subject, picture = await gallery.picture(game, region, scale)
        with outbox.room(len(picture)):
            return await send(request, picture, _headers(subject.etag))

    return [web.get(PATH, canvas_png)]


def _headers(etag: str) -> dict[str, str]:
    return {hdrs.CONTENT_TYPE: "image/png", hdrs.CACHE_CONTROL: "no-cache", hdrs.ETAG: etag}
