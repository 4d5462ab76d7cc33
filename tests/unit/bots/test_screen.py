"""The view: a table and a small picture where there is room, plain lines where there is none."""

import asyncio
from io import StringIO

from rich.console import Console

from bots.crew import Plan
from bots.life_way import Life
from bots.screen import Screen
from bots.stage import Act, Stage, Window
from bots.walk import walk
from bots.way import Alone
from pictures.halfblocks import UPPER_HALF
from tests.support.serving import serving
from tests.support.sockets import until


def shown(screen, width, height):
    console = Console(width=width, height=height, file=StringIO(), record=True)
    console.print(screen.rendered())
    return console.export_text()


def walkers(url):
    return Act("walkers", Plan(url, "place#main", 1, 0, 50.0, 1), lambda: Alone(walk))


def gliders(url, name="gliders"):
    plan = Plan(url, "place#main", 2, 0, 100.0, 1)
    life = Life((0, 0, 9, 9), start="glider", generations=None, seed=1)
    return Act(name, plan, lambda: life)


async def played(stage):
    run = asyncio.create_task(stage.run())
    await until(lambda: "generation 2" in (stage.casts[-1].team or walk_nothing).note())
    return run


class walk_nothing:  # noqa: N801
    """Stands for a team that has not come yet."""

    @staticmethod
    def note():
        return ""


async def test_a_single_way_is_shown_with_its_picture_where_there_is_room():
    async with serving() as server:
        stage = Stage((gliders(server.url),), now_s=lambda: 0.0)
        run = await played(stage)
        screen = Screen(stage, Console(width=100, height=40, file=StringIO()))
        with_picture = shown(screen, 100, 40)
        narrow = Screen(stage, Console(width=40, height=40, file=StringIO()))
        low = Screen(stage, Console(width=100, height=15, file=StringIO()))
        without = shown(narrow, 100, 40) + shown(low, 100, 40)
        stage.over.set()
        await run
        assert "generation" in with_picture
        assert UPPER_HALF in with_picture
        assert UPPER_HALF not in without


async def test_many_crews_are_shown_in_a_table_and_told_one_by_one():
    async with serving() as server:
        plan = Plan(server.url, "place#main", 1, 0, 1.0, 1)
        late = Act("late[/]", plan, lambda: Alone(walk), (Window(900.0),))
        stage = Stage((walkers(server.url), late, gliders(server.url)), now_s=lambda: 0.0)
        run = await played(stage)
        output = StringIO()
        screen = Screen(stage, Console(width=100, height=40, file=output))
        table = shown(screen, 100, 40)
        stage.over.set()
        await run
        screen.conclude()
        assert "comes at 900 s" in table
        assert "late[/]" in table
        assert "walkers" in table
        assert UPPER_HALF in table
        said = output.getvalue()
        assert "walkers: The board equals the server's, cell by cell." in said
        assert "late[/]: did not come before the end" in said
        assert "gliders: time" in said
