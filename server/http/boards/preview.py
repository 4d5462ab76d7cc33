"""`preview.png`: what is shown where a link to the page is shared: 1200 x 630, at a whole scale.

Owns what is seen of a board there: all of it in the middle when it fits, else the part where most
has been placed lately. One picture a minute and game is drawn, in a thread, for all who ask.
"""

import asyncio
from collections.abc import Sequence
from http import HTTPStatus
from typing import NamedTuple

import numpy as np
from aiohttp import hdrs, web
from numpy.typing import NDArray

from canvas.packing import cut
from canvas.records import split
from canvas.region import Region
from pictures.drawing import draw
from server.game.game import Game
from server.http.boards import costs
from server.http.boards.strips import Strip, strip_of
from server.http.bodies import is_known
from server.http.caller import Callers, pay
from server.http.reading import game_of, only
from server.replica.replica import Replica
from server.replica.ring import PixelRun

PATH = "/api/games/{game}/preview.png"
WIDTH, HEIGHT = 1200, 630
"""What the large cards of link previews show uncut."""
PART_SCALE = 2
"""Of a part: small enough to show much, large enough to see single cells."""
RECENT = 16_384
"""Placements that are looked at; 64 KB."""
GRID = 32
"""Cells a side of the fields in which they are counted."""
KEPT_MS = 60_000
KEPT_S = KEPT_MS // 1000


class Preview(NamedTuple):
    """A picture, and until when it is good enough (monotonic, ms)."""

    body: bytes
    etag: str
    until_ms: int


class Previews:
    """The newest preview of each game."""

    def __init__(self) -> None:
        self._latest: dict[str, asyncio.Task[Preview]] = {}

    async def of(self, game: Game, now_ms: int) -> Preview:
        """Give a preview that is at most a minute old."""
        task = self._latest.get(game.name)
        if task is None or _is_over(task, now_ms):
            task = asyncio.get_running_loop().create_task(_draw(game, now_ms + KEPT_MS))
            self._latest[game.name] = task
        # One client that leaves must not take it away from the others.
        return await asyncio.shield(task)


def _is_over(task: asyncio.Task[Preview], now_ms: int) -> bool:
    if not task.done():
        return False
    return task.exception() is not None or task.result().until_ms <= now_ms


async def _draw(game: Game, until_ms: int) -> Preview:
    replica = game.replica
    board = replica.board
    view = (min(board.width, WIDTH // PART_SCALE), min(board.height, HEIGHT // PART_SCALE))
    if board.width <= WIDTH and board.height <= HEIGHT:
        region = replica.lineage.geometry.whole
    else:
        region = await asyncio.to_thread(
            liveliest, _recent(replica), board.width, board.height, view
        )
    # What has grown meanwhile has grown around it or moved it: a picture of a place all the same.
    etag = f'"{replica.epoch}-{replica.seq}-preview"'
    palette, strip = replica.settings.palette, strip_of(replica.board, region)
    body = await asyncio.to_thread(_drawn, strip, palette.rgb, palette.empty)
    return Preview(body, etag, until_ms)


def _recent(replica: Replica) -> bytes:
    """Copy the newest records of this generation."""
    ring = replica.ring
    segments = ring.after(max(ring.resumable_from, replica.seq - RECENT)) or []
    return b"".join(
        segment.records
        for segment in segments
        if isinstance(segment, PixelRun) and segment.generation == replica.generation
    )


def liveliest(records: bytes, width: int, height: int, view: tuple[int, int]) -> Region:
    """Find the part of the size of `view` with the most placements; the middle without any."""
    x, y, _ = split(np.frombuffer(records, dtype="<u4"))
    left = _busiest_start(x, width, view[0])
    inside = (x >= left) & (x < left + view[0])
    top = _busiest_start(y[inside], height, view[1])
    return Region(left, top, left + view[0] - 1, top + view[1] - 1)


def _busiest_start(positions: NDArray[np.uint32], side: int, span: int) -> int:
    """Find where a stretch begins that holds the most positions, to a field of the grid."""
    if positions.size == 0:
        return (side - span) // 2
    fields = np.bincount(positions // GRID, minlength=-(-side // GRID))
    sums = np.convolve(fields, np.ones(max(1, span // GRID), np.int64), "valid")
    # The middle of all that are equally good, so that what is lively does not lie at an edge.
    best = np.flatnonzero(sums == sums.max())
    return int(min(best[len(best) // 2] * GRID, side - span))


def _drawn(strip: Strip, palette: Sequence[str | None], empty: int) -> bytes:
    region = strip.region
    cells = cut(strip.cells, strip.width, region)
    scale = min(WIDTH // region.width, HEIGHT // region.height)
    shown = np.repeat(np.repeat(cells, scale, axis=0), scale, axis=1)
    sheet = np.full((HEIGHT, WIDTH), empty, np.uint8)
    top, left = (HEIGHT - shown.shape[0]) // 2, (WIDTH - shown.shape[1]) // 2
    sheet[top : top + shown.shape[0], left : left + shown.shape[1]] = shown
    return draw(sheet, palette)


def routes(callers: Callers) -> list[web.RouteDef]:
    """Give the route."""
    previews = Previews()

    async def preview(request: web.Request) -> web.Response:
        game = await game_of(request, callers.services)
        pay(request, (await callers.of(request)).allowance, costs.PREVIEW)
        only(request, ())
        found = await previews.of(game, callers.services.clock.monotonic_ms())
        headers = {
            hdrs.CONTENT_TYPE: "image/png",
            hdrs.CACHE_CONTROL: f"public, max-age={KEPT_S}",
            hdrs.ETAG: found.etag,
        }
        if is_known(request, found.etag):
            return web.Response(status=HTTPStatus.NOT_MODIFIED, headers=headers)
        return web.Response(body=found.body, headers=headers)

    return [web.get(PATH, preview)]
