"""How often small commits are sent: a call costs the same for one placement and for ten.

At 1,000 placements a second and an answer in 3 ms, every call would carry three, and calls would
take a quarter of a core. So one that follows another closely waits for the end of an interval, in
which more placements gather behind it; one that comes alone never waits.
"""

import asyncio
from collections.abc import Awaitable, Callable

INTERVAL = 0.010
"""Seconds: 100 calls a second for each game that is busy."""


class Pace:
    """One store's intervals; `monotonic` gives seconds."""

    def __init__(
        self,
        monotonic: Callable[[], float],
        sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
    ) -> None:
        self._monotonic = monotonic
        self._sleep = sleep
        self._next = monotonic()

    async def turn(self) -> None:
        """Return at once when the last interval is over, else at its end, with all who wait."""
        end = self._next
        if (left := end - self._monotonic()) > 0:
            await self._sleep(left)
        if self._next == end:
            self._next = self._monotonic() + INTERVAL
