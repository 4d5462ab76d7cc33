"""A team on a board that changes under it: growth, a picture laid over it, a cut of the watcher."""

import asyncio
import io
from contextlib import asynccontextmanager

from PIL import Image

from bots.crew import Crew, Plan
from bots.life_way import Life
from bots.paint import Paint
from pictures.reading import read
from tests.support.fair_server import fair_server
from tests.support.fake_server import GAME, FakeGame, FakeServer, soon
from tests.support.sockets import until

BLACK, EMPTY = 0, 15
"""The fake game's palette has black alone."""


def black(width, height):
    data = io.BytesIO()
    Image.new("RGB", (width, height)).save(data, "PNG")
    return read(data.getvalue())


def painted(game, x, y, width=4, height=2):
    """The picture is there, and nothing else is black."""
    wanted = {(u, v) for v in range(y, y + height) for u in range(x, x + width)}
    there = {(u, v) for v, row in enumerate(game.cells) for u, c in enumerate(row) if c == BLACK}
    return there == wanted


@asynccontextmanager
async def painting(game):
    """Two bots that keep a picture of 4 x 2 at (1, 1); at the end all must be proven."""
    async with FakeServer(game) as server, fair_server(server) as peers:
        way = Paint(black(4, 2), (1, 1), order="scan", dither=False, once=False, seed=1)
        crew = Crew(Plan(server.url, GAME, 2, 0, 400.0, 1), way, now_s=lambda: 0.0)
        run = asyncio.create_task(crew.run())
        await until(lambda: painted(game, 1, 1) and way.note() != "")
        yield peers, crew
        await until(lambda: way.target is not None and way.target.done)
        crew.stop.set()
        await soon(run)
        assert crew.tally.all_verified
        assert way.shortfall() == ""


async def test_the_bots_place_without_watching():
    async with painting(FakeGame(10, 5)) as (peers, crew):
        assert len(peers) == 1
        assert crew.tally.connected == 3


async def test_the_picture_grows_along_with_the_board():
    game = FakeGame(10, 5)
    async with painting(game) as (peers, _crew):
        resize = game.grow_left(3)
        for peer in list(peers):
            await peer.send(**resize)
        assert painted(game, 4, 1)
        seq = game.place(4, 1, EMPTY)
        for peer in list(peers):
            await peer.pixels(seq, seq)
        await until(lambda: painted(game, 4, 1))


async def test_a_board_that_was_replaced_is_painted_anew():
    game = FakeGame(10, 5)
    async with painting(game) as (peers, _crew):
        game.cells = [[EMPTY] * 10 for _ in range(5)]
        game.seq += 1
        for peer in list(peers):
            await peer.send("base", game=GAME, seq=game.seq, generation=0)
        await until(lambda: painted(game, 1, 1))


async def test_what_happened_while_the_watcher_was_cut_is_mended():
    game = FakeGame(10, 5)
    async with painting(game) as (peers, crew):
        (watcher,) = peers
        watcher.cut()
        game.place(2, 1, EMPTY)
        await until(lambda: crew.tally.cuts == 1)
        await until(lambda: painted(game, 1, 1))


async def test_a_board_with_another_palette_is_painted_in_its_colours():
    game = FakeGame(10, 5)
    async with painting(game) as (peers, crew):
        game.history.append((0, 0, 0))
        game.seq += 1
        palette = [None, {"rgb": "#000000", "name": "black"}, {"rgb": "#FFFFFF", "name": "white"}]
        for peer in list(peers):
            await peer.send("settings", game=GAME, seq=game.seq, palette=palette)
        await until(lambda: {1} == {game.cells[y][x] for y in (1, 2) for x in range(1, 5)})
        assert crew.way.target.dropped.total() == 0


async def test_a_life_goes_on_in_another_palette_until_its_cells_cannot_die():
    game = FakeGame(10, 10)
    life = Life((0, 0, 9, 9), start="soup", generations=None, seed=1)
    white = {"rgb": "#FFFFFF", "name": "white"}
    mortal = [{"rgb": "#000000", "name": "black"}] + [None] * 14 + [white]
    async with FakeServer(game) as server, fair_server(server) as peers:
        game.palette = mortal
        crew = Crew(Plan(server.url, GAME, 2, 0, 400.0, 1), life, now_s=lambda: 0.0)
        run = asyncio.create_task(crew.run())
        await until(lambda: "generation 1" in life.note())
        for palette in ([*mortal[:1], white, *mortal[2:]], [white]):
            game.history.append((0, 0, 0))
            game.seq += 1
            for peer in list(peers):
                await peer.send("settings", game=GAME, seq=game.seq, palette=palette)
            before = life._generation
            await until(lambda: run.done() or life._generation > before + 1)  # noqa: B023
        await soon(run)
        assert ["Cells cannot die here" in why for why in crew.tally.failures] == [True]
