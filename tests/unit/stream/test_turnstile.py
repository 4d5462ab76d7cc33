"""The turnstile: a crowd that waited goes on a few in each turn, in order."""

import asyncio
from itertools import pairwise

from server.replica.turnstile import AT_ONCE, Turnstile


async def walkers(count: int) -> tuple[list[int], list[asyncio.Task[None]]]:
    """Tasks that go through, and the list in which they write their numbers."""
    turnstile = Turnstile()
    through: list[int] = []

    async def go(number: int) -> None:
        await turnstile.go_through()
        through.append(number)

    tasks = [asyncio.create_task(go(number)) for number in range(count)]
    await asyncio.sleep(0)
    return through, tasks


async def test_a_crowd_goes_on_a_few_in_each_turn() -> None:
    through, tasks = await walkers(5 * AT_ONCE + 1)
    seen = [len(through)]
    while not all(task.done() for task in tasks):
        await asyncio.sleep(0)
        seen.append(len(through))
    assert max(now - before for before, now in pairwise(seen)) == AT_ONCE
    assert through == list(range(5 * AT_ONCE + 1))


async def test_who_left_takes_nobodys_place() -> None:
    through, tasks = await walkers(AT_ONCE + 3)
    tasks[1].cancel()
    tasks[AT_ONCE + 1].cancel()
    await asyncio.gather(*tasks, return_exceptions=True)
    assert len(through) == AT_ONCE + 1
