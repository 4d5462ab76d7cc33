"""Bots at a real server: they paint, mend, live, and say when they cannot."""

import asyncio
import io
import time

import numpy as np
import pytest
from PIL import Image

from bots.crew import Crew, Plan
from bots.life import next_generation
from bots.life_way import Life
from bots.paint import Paint
from pictures.reading import read
from tests.support.serving import Serving, serving
from tests.support.sockets import until

pytestmark = pytest.mark.integration

RED, WHITE = 0, 15
RATE = 400.0


def picture(width=9, height=6, rgb=(0xFF, 0x45, 0x00), clear=()):
    """A picture of one colour, with some transparent pixels."""
    image = Image.new("RGBA", (width, height), (*rgb, 255))
    for place in clear:
        image.putpixel(place, (0, 0, 0, 0))
    data = io.BytesIO()
    image.save(data, "PNG")
    return read(data.getvalue())


def paint(at=(3, 2), *, once=True, drawn=None, order="spread"):
    return Paint(drawn or picture(), at, order=order, dither=False, once=once, seed=1)


def crew(server: Serving, way, *, bots=4, rate=RATE, **options) -> Crew:
    plan = Plan(server.url, "place#main", bots, 0, rate, 1, **options)
    return Crew(plan, way, now_s=time.perf_counter)


async def over(crew: Crew) -> Crew:
    async with asyncio.timeout(20):
        await crew.run()
    return crew


async def red_cells(server: Serving) -> int:
    async with server.client(guest=False) as client:
        await client.ready()
        return int((client.board.colors == RED).sum())


async def test_many_bots_paint_one_picture_and_each_cell_is_placed_once():
    async with serving() as server:
        way = paint(drawn=picture(clear=[(0, 0), (8, 5)]))
        painted = await over(crew(server, way))
        assert painted.tally.all_verified
        assert painted.tally.placed == 9 * 6 - 2
        assert (way.shortfall(), painted.tally.refused) == ("", {})
        assert await red_cells(server) == 52


async def test_what_became_of_the_colours_is_told():
    async with serving() as server:
        near = paint(drawn=picture(2, 1, rgb=(0xFE, 0x44, 0x01)))
        await over(crew(server, near))
        assert near.remark() == "2 pixels take the nearest colour (#FE4401 as #FF4500 x 2)"
        exact = paint()
        await over(crew(server, exact))
        assert exact.remark() == "every pixel keeps its colour"


async def test_a_picture_of_nothing_is_told_with_the_remedy():
    async with serving() as server:
        painted = await over(crew(server, paint(drawn=picture(1, 1, clear=[(0, 0)]))))
        assert any("transparent everywhere" in why for why in painted.tally.failures)


async def test_what_is_there_already_is_not_placed_again():
    async with serving() as server:
        await over(crew(server, paint()))
        again = await over(crew(server, paint()))
        assert (again.tally.placed, again.tally.all_verified) == (0, True)


async def test_what_others_overwrite_is_mended_until_told_to_stop():
    async with serving() as server, server.client() as vandal:
        way = paint(once=False)
        painting = crew(server, way)
        run = asyncio.create_task(painting.run())
        await vandal.ready()
        await until(lambda: (vandal.board.colors == RED).sum() == 54)
        await vandal.place(5, 4, WHITE)
        await until(lambda: vandal.board[5, 4] == RED)
        painting.stop.set()
        await asyncio.wait_for(run, 20)
        assert painting.tally.all_verified
        assert way.shortfall() == ""
        assert painting.tally.placed >= 55


async def test_a_picture_partly_beyond_the_board_is_painted_as_far_as_it_goes():
    async with serving(size=(10, 5)) as server:
        way = paint(at=(5, -2))
        painted = await over(crew(server, way))
        assert painted.tally.all_verified
        assert way.progress().outside == 54 - 5 * 4
        assert await red_cells(server) == 20


async def test_a_picture_wholly_beyond_the_board_is_told_with_the_remedy():
    async with serving() as server:
        painted = await over(crew(server, paint(at=(100, 100))))
        (why,) = painted.tally.failures
        assert "wholly beyond the board of 20 x 10" in why
        assert "--at" in why


async def test_a_run_that_is_stopped_half_way_says_what_is_missing():
    async with serving() as server:
        way = paint()
        painting = crew(server, way, rate=2.0)
        run = asyncio.create_task(painting.run())
        await until(lambda: painting.tally.placed >= 1)
        painting.stop.set()
        await asyncio.wait_for(run, 20)
        assert painting.tally.all_verified
        assert "of 54 cells are not painted: run it again" in way.shortfall()


async def test_bots_keep_to_the_cooldown():
    async with serving(cooldown_ms=50) as server:
        painted = await over(crew(server, paint(drawn=picture(4, 2)), rate=None, bots=8))
        assert painted.tally.placed == 8
        assert painted.tally.refused == {}


async def test_a_crew_whose_bots_may_not_place_ends_and_says_why():
    async with serving(guests=False) as server:
        way = paint()
        painted = await over(crew(server, way, bots=2))
        assert not painted.tally.all_verified
        assert painted.tally.failures.total() >= 2
        assert "not painted" in way.shortfall() or "never began" in way.shortfall()


async def test_a_cut_in_the_middle_leaves_no_hole():
    async with serving(size=(40, 30)) as server:
        way = paint(drawn=picture(30, 20))
        painting = crew(server, way, bots=6, rate=100.0)
        run = asyncio.create_task(painting.run())
        await until(lambda: painting.tally.placed > 50)
        for connection in list(server.parts.listener.live):
            connection.abort()
        await asyncio.wait_for(run, 30)
        assert painting.tally.cuts >= 5
        assert painting.tally.all_verified
        assert way.shortfall() == ""


async def test_life_goes_by_the_rule_and_touches_nothing_else():
    async with serving(size=(20, 14)) as server:
        region = (4, 2, 15, 11)
        one = crew(server, Life(region, start="soup", generations=1, seed=3))
        async with server.client() as stranger:
            await stranger.ready()
            await stranger.place(0, 0, RED)
            await over(one)
            assert one.tally.all_verified
            await stranger.verify()
            first = stranger.board.colors[2:12, 4:16].copy()
            await over(crew(server, Life(region, start="board", generations=1, seed=3)))
            await stranger.verify()
            second = stranger.board.colors[2:12, 4:16]
            assert second.tolist() == next_generation(first, WHITE).tolist()
            assert (first != WHITE).any()
            assert stranger.board[0, 0] == RED


async def test_a_still_life_ends_when_generations_are_counted():
    async with serving() as server:
        async with server.client() as gardener:
            await gardener.ready()
            await gardener.place_many([(x, y, RED) for x in (5, 6) for y in (5, 6)])
        way = Life((2, 2, 9, 9), start="board", generations=9, seed=1)
        lived = await over(crew(server, way))
        assert lived.tally.all_verified
        assert lived.tally.placed == 0
        assert "nothing changes" in way.note()


async def test_life_where_nobody_lives_says_what_to_do():
    async with serving() as server:
        lived = await over(crew(server, Life(None, start="board", generations=None, seed=1)))
        assert any("--start soup" in why for why in lived.tally.failures)


@pytest.mark.parametrize(
    ("region", "told"), [((0, 0, 20, 3), "not on the board"), ((0, 0, 1, 5), "life takes 3 x 3")]
)
async def test_life_in_a_region_that_cannot_be(region, told):
    async with serving() as server:
        lived = await over(crew(server, Life(region, start="soup", generations=1, seed=1)))
        assert any(told in why and "--region" in why for why in lived.tally.failures)


async def test_a_glider_flies_at_the_bots_pace():
    async with serving(size=(16, 16)) as server:
        lived = await over(crew(server, Life((0, 0, 7, 7), start="glider", generations=4, seed=1)))
        assert lived.tally.all_verified
        async with server.client(guest=False) as client:
            await client.ready()
            alive = np.argwhere(client.board.colors[:8, :8] != WHITE)
        assert len(alive) == 5
