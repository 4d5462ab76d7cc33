"""A turnstile: who has waited for the same thing goes on a few in each turn of the loop.

Owns the order of those who wait. Without it thousands who waited for one snapshot would all be
served in a single turn, in which nobody's ping is answered. Used by snapshots.py.
"""

import asyncio
from collections import deque

AT_ONCE = 16
"""A joiner's reply and its first bands cost some 0.2 ms: a turn stays at a few milliseconds."""


class Turnstile:
    """Lets `AT_ONCE` go on in a turn, in the order in which they came."""

    def __init__(self) -> None:
        self._waiting: deque[asyncio.Future[None]] = deque()
        self._turning = False

    async def go_through(self) -> None:
        """Wait for one's turn."""
        loop = asyncio.get_running_loop()
        turn = loop.create_future()
        self._waiting.append(turn)
        if not self._turning:
            self._turning = True
            loop.call_soon(self._let_some_go)
        await turn

    def _let_some_go(self) -> None:
        released = 0
        while self._waiting and released < AT_ONCE:
            turn = self._waiting.popleft()
            if not turn.done():  # whoever was cancelled takes nobody's place
                turn.set_result(None)
                released += 1
        self._turning = bool(self._waiting)
        if self._turning:
            asyncio.get_running_loop().call_soon(self._let_some_go)
