"""C35, C36: savings are a function of the last placements and of now, whatever happens between.

The model counts in the plainest way: a bucket that a placement empties by one and that fills by
one each `ms`, up to the maximum.
"""

import asyncio
from collections.abc import Callable, Sequence
from random import Random
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from canvas.events import PixelPlaced
from canvas.refusals import Refusal, Refused
from persistence.ports import Store
from tests.support.clock import FakeClock
from tests.support.homes import Home
from tests.support.memory_store import open_memory
from tests.support.runs import Lives, Run

MS = 1000
USERS = ("ann", "bob")

JUMPS_MS: dict[int | str, int] = {"wall forward": 3_600_000, "wall back": -3_600_000}
WHILE_IT_RUNS = ("snapshot", "wall forward", "wall back")
OVER_RESTARTS = ("snapshot", "restart")
LONG = 60
"""Steps of a story on a real store."""


def plans(others: Sequence[str]) -> st.SearchStrategy[list[int | str]]:
    waits = st.integers(1, 3 * MS)
    return st.lists(st.one_of(st.sampled_from(USERS), waits, st.sampled_from(others)), max_size=25)


def long_plan(chance: Random, others: Sequence[str]) -> list[int | str]:
    kinds: list[Callable[[], int | str]] = [
        lambda: chance.choice(USERS),
        lambda: chance.randint(1, 3 * MS),
        lambda: chance.choice(others),
    ]
    return [chance.choices(kinds, (4, 4, 1))[0]() for _ in range(LONG)]


class Bucket:
    """Earned placements of one user, in thousandths."""

    def __init__(self, maximum: int) -> None:
        self.maximum = maximum
        self.thousandths = maximum * MS

    def wait(self, ms: int) -> None:
        self.thousandths = min(self.maximum * MS, self.thousandths + ms)

    @property
    def stack(self) -> int:
        return self.thousandths // MS

    @property
    def left_ms(self) -> int:
        return max(0, MS - self.thousandths)


class Story:
    """A game and its model, side by side."""

    def __init__(self, max_stack: int, store: Store | None = None) -> None:
        self.clock = FakeClock()
        self.lives = Lives(store or open_memory(), self.clock)
        self.options: dict[str, Any] = {"cooldown_ms": MS, "max_stack": max_stack}
        self.buckets = {user: Bucket(max_stack) for user in USERS}
        self.run: Run

    async def tell(self, plan: list[int | str]) -> None:
        self.run = await self.lives.start(**self.options)
        for step in plan:
            await self.take(step)
            self.compare()
        await self.run.die()

    async def take(self, step: int | str) -> None:
        if step in JUMPS_MS:
            self.clock.jump_wall(JUMPS_MS[step])
        elif isinstance(step, int):
            self.clock.advance(step)
            for bucket in self.buckets.values():
                bucket.wait(step)
        elif step in self.buckets:
            await self.place(step)
        elif step == "snapshot":
            await self.run.snapshot()
        elif step == "restart":
            await self.run.die()
            self.run = await self.lives.start(**self.options)

    async def place(self, user: str) -> None:
        bucket = self.buckets[user]
        told = await self.run.place(1, 1, 1, user=user)
        if bucket.stack:
            assert isinstance(told, PixelPlaced)
            bucket.thousandths -= MS
        else:
            assert isinstance(told, Refusal)
            assert (told.why, told.left_ms) == (Refused.COOLDOWN, bucket.left_ms)

    def compare(self) -> None:
        for user, bucket in self.buckets.items():
            assert self.run.game.stack(user) == bucket.stack <= bucket.maximum
            assert self.run.game.left_ms(user) == bucket.left_ms


@settings(max_examples=60)
@given(plans(OVER_RESTARTS), st.integers(1, 4))
def test_c35_available_follows_from_the_last_placements_and_now(
    plan: list[int | str], max_stack: int
) -> None:
    asyncio.run(Story(max_stack).tell(plan))


@settings(max_examples=40)
@given(plans(WHILE_IT_RUNS), st.integers(1, 4))
def test_c36_a_jump_of_the_wall_clock_changes_nothing_while_it_runs(
    plan: list[int | str], max_stack: int
) -> None:
    asyncio.run(Story(max_stack).tell(plan))


@pytest.mark.integration
@pytest.mark.parametrize("others", [OVER_RESTARTS, WHILE_IT_RUNS], ids=["restarts", "jumps"])
async def test_c35_c36_a_long_story_on_every_store(home: Home, others: Sequence[str]) -> None:
    async with home.opened() as store:
        await Story(3, store).tell(long_plan(Random(35), others))
