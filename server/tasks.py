"""The tasks of a process: each has words for what it does, and none ends unnoticed.

Owns the running tasks. One listener is told of every fault that a task ended by.
"""

import asyncio
from collections.abc import Callable, Coroutine
from typing import Any


class Tasks:
    """A set of tasks that ends together."""

    def __init__(self) -> None:
        self._running: set[asyncio.Task[None]] = set()
        self._on_fault: Callable[[str, BaseException], None] = _raise

    def listen(self, on_fault: Callable[[str, BaseException], None]) -> None:
        """Name the one who is told what a task did and by which fault it ended."""
        self._on_fault = on_fault

    def spawn(self, work: Coroutine[Any, Any, None], doing: str) -> asyncio.Task[None]:
        """Run something beside all else; `doing` says what, should it fail."""
        task = asyncio.get_running_loop().create_task(work)
        self._running.add(task)
        task.add_done_callback(lambda done: self._ended(done, doing))
        return task

    def _ended(self, task: asyncio.Task[None], doing: str) -> None:
        self._running.discard(task)
        fault = None if task.cancelled() else task.exception()
        if fault is not None:
            self._on_fault(doing, fault)

    async def end(self) -> None:
        """Cancel all that run and wait for their ends; faults are told as ever."""
        tasks = list(self._running)
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)


def _raise(doing: str, fault: BaseException) -> None:
    raise RuntimeError(f"{doing} has failed and nobody listens") from fault
