"""The probe: somebody who wants to be woken at fixed times, and notes how late the loop was.

Finds what holds the loop, whatever it is; owns nothing else. `run` is one task, started by
lifecycle.py.
"""

import asyncio
from collections.abc import Callable

EVERY = 0.05
"""Seconds: a fifth of a percent of a core, and a stall of as long cannot slip through."""


async def run(
    now: Callable[[], float], note: Callable[[float], None], every: float = EVERY
) -> None:
    """Note the seconds of lateness until cancelled; `now` is a monotonic clock in seconds."""
    while True:
        due = now() + every
        await asyncio.sleep(every)
        note(max(0.0, now() - due))
