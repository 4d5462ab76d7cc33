"""The one place that reads the clocks; everything else is handed a `Clock`."""

import sys
import time
from typing import Protocol


class Clock(Protocol):
    """Two clocks: one that never jumps, one that people read."""

    def monotonic_ms(self) -> int:
        """Milliseconds that only ever rise; for cooldowns, timeouts and credits."""
        ...

    def wall_ms(self) -> int:
        """Milliseconds since the epoch; for what is stored and shown."""
        ...

    def precise(self) -> float:
        """Seconds that only ever rise, finer than a microsecond; for what something costs.

        uvloop's own `loop.time` stands still within a turn of the loop.
        """
        ...


class SystemClock:
    """The machine's clocks."""

    def monotonic_ms(self) -> int:
        """Read the monotonic clock."""
        return time.monotonic_ns() // 1_000_000

    def wall_ms(self) -> int:
        """Read the wall clock."""
        return time.time_ns() // 1_000_000

    def precise(self) -> float:
        """Read the monotonic clock in full."""
        return time.perf_counter()


def since_boot() -> float:
    """Read seconds that go on also while the machine sleeps, where it has such a clock.

    For what others measure meanwhile: a lease is not held any longer for having slept. On macOS
    the monotonic clock that is asked for by its number is such a one, the other is not.
    """
    if sys.platform == "win32":
        return time.monotonic()
    return time.clock_gettime(getattr(time, "CLOCK_BOOTTIME", time.CLOCK_MONOTONIC))
