"""The committer: makes one game's decided events durable, in order, in groups.

Owns the queue of what is decided and not yet committed, and the retries. One commit is in flight at
a time, so what returns is always the contiguous prefix. It publishes nothing: the game is told.
"""

import asyncio
from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from canvas.events import Event, PixelPlaced
from persistence.errors import PermanentFault, StoreError, TransientFault
from persistence.ports import Item, Journal, Write
from server.asking import Asker
from server.game.history import to_item
from server.game.partitions import Partitions

MAX_BATCH = 2000
"""Placements a commit; encoding them holds the loop about 3 ms."""
MAX_GATHERING = 0.5
"""Seconds that a batch may grow, whatever the listener says."""
SHORTEST_SLEEP = 0.001
"""What the timers of uvloop know."""
FIRST_RETRY = 0.05
LAST_RETRY = 2.0


class Decided(NamedTuple):
    """An event on its way to the journal, and who waits for it."""

    event: Event
    asker: Asker | None = None
    tag: object = None
    writes: tuple[Write, ...] = ()
    """Items of other tables that a control event changes, in the same transaction."""
    joins: bool = False
    """Whether it is committed in one transaction with the control event before it."""


@dataclass(frozen=True, slots=True)
class CommitterEvents:
    """What the committer tells, each called on the loop."""

    committed: Callable[[Sequence[Decided]], None]
    spare: Callable[[float], float]
    """Asked for how many seconds a commit that takes so many can wait and be seen as soon."""
    delayed: Callable[[TransientFault], None]
    """The store is away; told once an outage."""
    recovered: Callable[[], None]
    failed: Callable[[StoreError], None]
    """For good: nothing will be committed any more."""


class Committer:
    """Commits one game's events; `run` is its only task."""

    def __init__(
        self,
        journal: Journal,
        partitions: Partitions,
        fence: int,
        listener: CommitterEvents,
        *,
        interval: float = 0.0,
    ) -> None:
        """`interval`: seconds from one commit to the next that follows it closely."""
        self._interval = interval
        self._next = 0.0
        self._journal = journal
        self._partitions = partitions
        self._fence = fence
        self._listener = listener
        self._queue: deque[Decided] = deque()
        self._wake = asyncio.Event()
        self._idle = asyncio.Event()
        self._idle.set()
        self._stopping = asyncio.Event()
        self._took = 0.0

    def add(self, decided: Decided) -> None:
        """Queue an event; seqs are consecutive."""
        if not self._queue:
            self._wake.set()
            self._idle.clear()
        self._queue.append(decided)

    async def drained(self) -> None:
        """Wait until everything that was queued is committed."""
        await self._idle.wait()

    def stop(self) -> None:
        """End `run` once the queue is empty, or at once when the store refuses for good."""
        self._stopping.set()
        self._wake.set()

    async def run(self) -> None:
        """Commit until stopped; returns early after a fault that retrying cannot mend.

        What nobody foresaw is raised, once the game is told: nothing would commit what it takes.
        """
        try:
            await self._run()
        except Exception as fault:
            hint = "restart the server; what is committed is not lost"
            self._listener.failed(PermanentFault(f"committing failed: {fault!r}", hint))
            raise

    async def _run(self) -> None:
        loop = asyncio.get_running_loop()
        while True:
            await self._wake.wait()
            if not self._queue:
                if self._stopping.is_set():
                    return
                self._wake.clear()
                continue
            await self._gather()
            batch = self._take()
            started = loop.time()
            if not await self._commit(batch):
                return
            self._took = loop.time() - started
            self._next = started + self._interval
            self._listener.committed(batch)
            if not self._queue:
                self._idle.set()

    async def _gather(self) -> None:
        """Let a batch grow for as long as that delays nobody, and as the store asks for.

        Each commit costs two threads' turns, or a call, and beside a flush both are slow. As the
        last one took, this one is done by the next flush. One that comes alone never waits.
        """
        time = asyncio.get_running_loop().time
        ends = time() + MAX_GATHERING
        while len(self._queue) < MAX_BATCH and not self._stopping.is_set():
            now = time()
            spare = max(self._next - now, self._listener.spare(self._took))
            if min(spare, ends - now) < SHORTEST_SLEEP:
                return
            await asyncio.sleep(min(spare, ends - now))

    def _take(self) -> list[Decided]:
        queue = self._queue
        batch = [queue.popleft()]
        if type(batch[0].event) is not PixelPlaced:
            while queue and queue[0].joins:
                batch.append(queue.popleft())
            return batch  # a control event is a barrier: committed without placements
        while queue and len(batch) < MAX_BATCH and type(queue[0].event) is PixelPlaced:
            batch.append(queue.popleft())
        return batch

    async def _commit(self, batch: Sequence[Decided]) -> bool:
        partition_for, fence = self._partitions.for_seq, self._fence
        items = [
            to_item(decided.event, partition_for(decided.event.seq), fence) for decided in batch
        ]
        try:
            writes = [write for decided in batch for write in decided.writes]
            await self._until_durable(items, writes)
        except StoreError as fault:
            # Permanent, or a lost condition: somebody else wrote. Never go on over either.
            self._listener.failed(fault)
            return False
        return True

    async def _until_durable(self, items: list[Item], writes: Sequence[Write]) -> None:
        delay = FIRST_RETRY
        delayed = False
        while True:
            try:
                await self._journal.commit(items, writes)
            except TransientFault as fault:
                if not delayed:
                    self._listener.delayed(fault)
                delayed = True
            else:
                if delayed:
                    self._listener.recovered()
                return
            await asyncio.sleep(delay)
            delay = min(LAST_RETRY, delay * 2)
