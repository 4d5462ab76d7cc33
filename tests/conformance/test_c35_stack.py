"""C35: what is saved up is a function of the last placements and of now, whatever happens between.

The model counts in the plainest way: a bucket that a placement empties by one and that fills by
one each `ms`, up to the maximum.
"""

import asyncio
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from canvas.events import PixelPlaced
from canvas.refusals import Refusal, Refused
from tests.support.clock import FakeClock
from tests.support.memory_store import open_memory
from tests.support.runs import Lives, Run

MS = 1000
USERS = ("ann", "bob")

steps = st.lists(
    st.one_of(
        st.sampled_from(USERS),
        st.integers(1, 3 * MS),
        st.sampled_from(["snapshot", "restart", "wall forward", "wall back"]),
    ),
    max_size=25,
)


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

    def __init__(self, max_stack: int) -> None:
        self.clock = FakeClock()
        self.lives = Lives(open_memory(), self.clock)
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
        if isinstance(step, int):
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
@given(steps, st.integers(1, 4))
def test_c35_available_follows_from_the_last_placements_and_now(
    plan: list[int | str], max_stack: int
) -> None:
    asyncio.run(Story(max_stack).tell(plan))


@settings(max_examples=40)
@given(steps, st.integers(1, 4))
def test_c36_a_jump_of_the_wall_clock_changes_nothing_while_it_runs(
    plan: list[int | str], max_stack: int
) -> None:
    story = Story(max_stack)

    async def take(step: int | str) -> None:
        if step in {"wall forward", "wall back"}:
            story.clock.jump_wall(3_600_000 if step == "wall forward" else -3_600_000)
        elif step != "restart":
            await Story.take(story, step)

    story.take = take  # type: ignore[method-assign]
    asyncio.run(story.tell(plan))
