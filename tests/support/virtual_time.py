"""Time for several machines in one loop: it passes when a test says so, and machines may freeze.

While a call to a store is under way no time passes, so that slow peers change nothing.
"""

import asyncio
from collections.abc import Awaitable, Callable, Coroutine
from dataclasses import dataclass, field
from typing import Any, TypeVar

Result = TypeVar("Result")

WALL_MS = 1_760_000_000_000
TURNS = 20
"""Turns of the loop without a call under way after which everybody sleeps."""
STEPS = 10_000


@dataclass(slots=True)
class _Sleeper:
    machine: "Machine"
    due: float
    woken: asyncio.Event = field(default_factory=asyncio.Event)


class VirtualTime:
    def __init__(self) -> None:
        self.now = 0.0
        self.calls = 0
        self.sleepers: list[_Sleeper] = []

    async def advance(self, seconds: float) -> None:
        """Let so much time pass, and everything happen that happens in it."""
        end = self.now + seconds
        await self._settle()
        while (sleeper := self._next()) is not None and sleeper.due <= end:
            await self._wake(sleeper)
        self.now = end

    async def during(self, work: Coroutine[Any, Any, Result]) -> Result:
        """Let time pass until `work` is done."""
        task = asyncio.create_task(work)
        await self._settle()
        for _ in range(STEPS):
            sleeper = self._next()
            if task.done() or sleeper is None:
                break
            await self._wake(sleeper)
        assert task.done(), "nobody sleeps, and yet it is not done"
        return await task

    def _next(self) -> _Sleeper | None:
        """Who wakes next; the frozen do not."""
        able = [sleeper for sleeper in self.sleepers if not sleeper.machine.frozen]
        return min(able, key=lambda sleeper: sleeper.due, default=None)

    async def _wake(self, sleeper: _Sleeper) -> None:
        self.now = max(self.now, sleeper.due)
        self.sleepers.remove(sleeper)
        sleeper.woken.set()
        await self._settle()

    async def _settle(self) -> None:
        quiet = 0
        while quiet < TURNS:
            await asyncio.sleep(0)
            quiet = 0 if self.calls else quiet + 1


class Machine:
    """The clocks of one machine, each a little its own, and what its process calls."""

    def __init__(self, time: VirtualTime, skew_ms: int = 0) -> None:
        self.skew_ms = skew_ms
        self.frozen = False
        self._time = time
        self._runs = asyncio.Event()
        self._runs.set()
        self._freezes_in = ""

    def monotonic(self) -> float:
        return self._time.now

    def wall_ms(self) -> int:
        return WALL_MS + round(self._time.now * 1000) + self.skew_ms

    async def sleep(self, seconds: float) -> None:
        sleeper = _Sleeper(self, self._time.now + seconds)
        self._time.sleepers.append(sleeper)
        try:
            await sleeper.woken.wait()
        finally:
            if sleeper in self._time.sleepers:
                self._time.sleepers.remove(sleeper)

    def freeze(self) -> None:
        """Stand still, as a process does that is stopped; its clock goes on."""
        self.frozen = True
        self._runs.clear()

    def freeze_in(self, operation: str) -> None:
        """Freeze when the next such call has been done and its answer is on its way."""
        self._freezes_in = operation

    def thaw(self) -> None:
        """Go on."""
        self.frozen = False
        self._runs.set()

    async def around(
        self, operation: str, items: int, call: Callable[[], Awaitable[Result]]
    ) -> Result:
        """Do a call to a store (persistence/wrapped.py); others may come between on each way."""
        del items
        await self._runs.wait()
        self._time.calls += 1
        try:
            await asyncio.sleep(0)
            result = await call()
            await asyncio.sleep(0)
        finally:
            self._time.calls -= 1
        if operation == self._freezes_in:
            self._freezes_in = ""
            self.freeze()
        await self._runs.wait()
        return result
