"""Crews that come and go: windows, the end of all, and the same faces again."""

import asyncio

import pytest

from bots.crew import Plan
from bots.stage import Act, Cast, Stage, Window
from bots.walk import walk
from bots.way import Alone
from tests.support.fair_server import fair_server
from tests.support.fake_server import FakeGame, FakeServer, soon
from tests.support.sockets import until


class Clock:
    """Seconds of the run, moved by the test."""

    now_s = 0.0

    def __call__(self):
        return self.now_s


def act(name, url, *windows, bots=2, spectators=0):
    plan = Plan(url, "place#main", bots, spectators, 500.0, 1)
    return Act(name, plan, lambda: Alone(walk), windows or (Window(),))


def placed(cast: Cast) -> int:
    return 0 if cast.crew is None else cast.crew.tally.placed


async def test_crews_come_and_go_by_their_windows_and_keep_their_names():
    async with FakeServer(FakeGame(20, 10)) as server, fair_server(server):
        clock = Clock()
        stage = Stage((act("guests", server.url, Window(0, 900), Window(900)),), now_s=clock)
        run = asyncio.create_task(stage.run())
        (cast,) = stage.casts
        await until(lambda: placed(cast) > 3)
        clock.now_s = 900.0
        assert cast.crew is not None
        cast.crew.stop.set()
        await until(lambda: len(cast.crews) == 2 and placed(cast) > 3)
        stage.over.set()
        await soon(run)
        first, second = cast.crews
        assert second._passports == first._passports
        assert set(second._passports) == {0, 1}
        assert stage.succeeded


async def test_a_window_that_is_past_ends_its_crew():
    async with FakeServer(FakeGame(20, 10)) as server, fair_server(server):
        clock = Clock()
        eyes = act("eyes", server.url, Window(0, 5), bots=0, spectators=1)
        stage = Stage((eyes,), now_s=clock)
        clock.now_s = -1.0
        run = asyncio.create_task(stage.run())
        await asyncio.sleep(0)
        clock.now_s = 1000.0
        await soon(run)
        assert len(stage.casts[0].crews) == 1


async def test_the_end_of_all_ends_every_crew_and_nobody_comes_after_it():
    async with FakeServer(FakeGame(20, 10)) as server, fair_server(server):
        stage = Stage(
            (act("now", server.url), act("late", server.url, Window(1000.0))), now_s=lambda: 0.0
        )
        run = asyncio.create_task(stage.run())
        await until(lambda: placed(stage.casts[0]) > 5)
        stage.over.set()
        await soon(run)
        assert stage.casts[0].crew is not None
        assert stage.casts[0].crew.tally.all_verified
        assert stage.casts[1].crew is None


async def test_one_crew_that_fails_is_the_stage_s_failure():
    async with FakeServer() as server:
        server.refusals = [(403, {})] * 2
        stage = Stage((act("barred", server.url),), now_s=lambda: 0.0)
        await soon(stage.run())
        assert not stage.succeeded


def test_windows_do_not_overlap():
    with pytest.raises(ValueError, match="windows overlap"):
        act("a", "ws://x/ws", Window(0, 5), Window(4, 9))
    with pytest.raises(ValueError, match="windows overlap"):
        act("a", "ws://x/ws", Window(0), Window(4, 9))
