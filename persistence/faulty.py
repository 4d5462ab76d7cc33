"""Faults on command: a store that fails, loses answers, lags or stands still, as a script says.

For tests and for drills on a running server; nothing is patched. The script names operations as
`port.method` (persistence/wrapped.py).
"""

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass

from persistence.errors import StoreError
from persistence.ports import Store
from persistence.wrapped import Result, wrapped


@dataclass(slots=True)
class _Failing:
    """Calls of one operation that fail from now on."""

    operation: str
    fault: StoreError
    left: int | None
    answer_lost: bool


class Faults:
    """The script. With nothing scripted the store behaves as ever."""

    def __init__(self, sleep: Callable[[float], Awaitable[None]] = asyncio.sleep) -> None:
        self.latency: float = 0.0
        """Seconds that every call waits before it begins."""
        self._sleep = sleep
        self._failing: list[_Failing] = []
        self._held: dict[str, asyncio.Event] = {}

    def fail(
        self,
        operation: str,
        fault: StoreError,
        *,
        times: int | None = None,
        answer_lost: bool = False,
    ) -> None:
        """Let the next calls (None: all until `mend`) raise `fault`.

        With `answer_lost` they are done first: the caller cannot know that they were.
        """
        self._failing.append(_Failing(operation, fault, times, answer_lost))

    def mend(self) -> None:
        """Take back every `fail`."""
        self._failing.clear()

    def hold(self, operation: str) -> None:
        """Let calls wait before they begin, until `release`."""
        self._held.setdefault(operation, asyncio.Event())

    def release(self, operation: str) -> None:
        """Let held calls go on; harmless when none are held."""
        if (gate := self._held.pop(operation, None)) is not None:
            gate.set()

    async def around(
        self, operation: str, items: int, call: Callable[[], Awaitable[Result]]
    ) -> Result:
        """Do one call as the script says."""
        del items
        if self.latency > 0:
            await self._sleep(self.latency)
        if (gate := self._held.get(operation)) is not None:
            await gate.wait()
        failing = self._next(operation)
        if failing is None:
            return await call()
        if failing.answer_lost:
            await call()
        raise type(failing.fault)(str(failing.fault), failing.fault.hint)

    def _next(self, operation: str) -> _Failing | None:
        """Return what makes this call fail, and count it."""
        for failing in self._failing:
            if failing.operation == operation and failing.left != 0:
                if failing.left is not None:
                    failing.left -= 1
                return failing
        return None


def faulty(store: Store, faults: Faults) -> Store:
    """Return `store` under the script `faults`."""
    return wrapped(store, faults.around)
