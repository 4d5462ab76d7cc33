"""The Lease port on DynamoDB: one item that its holder renews, and that whoever waits watches.

Each process measures on its own monotonic clock: the holder from before it sent a renewal, who
waits from after it read a record, which has to stand still for a whole lease. Wall clocks decide
nothing; `leaseUntil` is for people, and rises with each renewal, so that each is seen. Stands on
the port `Tables`; called by the composition root.
"""

import asyncio
from collections.abc import Awaitable, Callable
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from typing import TypeVar

from persistence.dynamodb.lease_record import (
    PARTITION,
    LeaseEvents,
    LeaseSettings,
    LeaseTime,
    Record,
)
from persistence.errors import (
    ConditionFailed,
    LeaseLost,
    StoreError,
    StoreInUse,
    TransientFault,
)
from persistence.ports import Condition, Holding, Key, Put, Tables, Update
from persistence.tables import MAIN

Result = TypeVar("Result")

MARGIN = 0.1
"""The part of a lease that its holder leaves unused: clocks may run apart, and acts take time."""
LOOKS = 10
"""How often a watched record is read in one lease; a renewal that failed is repeated as often."""
_HELD = "stop it first; a server may also wait for its turn, with --lease wait"
_TAKEN = "two servers are set to one store: stop one of them (`tesserae lease show` tells whose)"


@dataclass(slots=True)
class _Held:
    """What is held, and until when by our monotonic clock."""

    fence: int
    until_ms: int
    deadline: float
    url: str = ""


class DynamoLease:
    """The `Lease` port; while it is held a task renews it."""

    def __init__(
        self, tables: Tables, settings: LeaseSettings, time: LeaseTime, events: LeaseEvents
    ) -> None:
        self._tables = tables
        self._settings = settings
        self._time = time
        self._events = events
        self._key = Key(PARTITION, settings.game)
        self._held: _Held | None = None
        self._keeper: asyncio.Task[None] | None = None
        self._loss: LeaseLost | None = None
        self._is_lost = asyncio.Event()

    async def acquire(self, *, above: int = 0) -> int:
        """Take it and return the fence. Raises StoreInUse unless it waits; StoreDamaged."""
        await self.release()
        self._loss = None
        self._is_lost.clear()
        seen = await self._patiently(self._look)
        while True:
            if seen is None or self._is_free(seen) or await self._stands_still(seen):
                fence = await self._patiently(partial(self._take, seen, above))
                if fence is not None:
                    return fence
            seen = await self._patiently(self._look)
            if seen is not None and not self._is_free(seen) and not self._settings.waits:
                raise StoreInUse(f"{self._place} is held by {seen.holder}", _HELD, url=seen.url)

    def valid(self) -> bool:
        """Whether it is held beyond doubt: no other process can have taken it by now."""
        held = self._held
        return held is not None and self._time.monotonic() < held.deadline

    async def lost(self) -> LeaseLost:
        """Wait until another process has taken it, and say so."""
        await self._is_lost.wait()
        assert self._loss is not None  # noqa: S101 - the event is set with it
        return self._loss

    async def tell(self, url: str) -> None:
        """Note in the item where the holder is reached; each renewal tells it again."""
        if self._held is not None:
            self._held.url = url
            try:
                await self._renew(self._held)
            except StoreError as error:
                self._events.troubled(error)

    async def look(self) -> Holding:
        """Say who has it. Raises StoreDamaged for an item that is no lease."""
        record = await self._look()
        return Holding(0) if record is None else record.holding()

    async def release(self) -> None:
        """Give it back at once; when that fails it runs out by itself."""
        keeper, self._keeper = self._keeper, None
        if keeper is not None:
            keeper.cancel()
            await asyncio.gather(keeper, return_exceptions=True)
        held, self._held = self._held, None
        if held is not None:
            try:
                await self._give_back(held)
            except StoreError as error:
                self._events.troubled(error)

    # --- taking --------------------------------------------------------------

    @property
    def _place(self) -> str:
        return f"the game {self._settings.game}"

    async def _look(self) -> Record | None:
        item = await self._tables.get(MAIN, self._key)
        return None if item is None else Record.of(item)

    def _is_free(self, record: Record) -> bool:
        """Whether nobody has it; our own name is there when the answer to taking it was lost."""
        return record.owner in ("", self._settings.owner)

    async def _patiently(self, call: Callable[[], Awaitable[Result]]) -> Result:
        """Do a call; who waits goes on trying."""
        while True:
            try:
                return await call()
            except TransientFault as error:
                if not self._settings.waits:
                    raise
                self._events.troubled(error)
            await self._time.sleep(self._settings.duration / LOOKS)

    async def _stands_still(self, seen: Record) -> bool:
        """Watch a record for a whole lease; False as soon as it is another."""
        time = self._time
        watched = max(self._settings.duration, seen.lease_ms / 1000)
        self._events.waiting(seen.holder, watched)
        began = time.monotonic()
        while time.monotonic() - began < watched:
            await time.sleep(watched / LOOKS)
            if await self._patiently(self._look) != seen:
                return False
        return True

    async def _take(self, seen: Record | None, above: int) -> int | None:
        """Write our name if the record is still as `seen`; returns the fence, None if it is not."""
        sent = self._time.monotonic()
        fence = max(above, 0 if seen is None else seen.fence) + 1
        until_ms = self._until_ms(seen.until_ms if seen is not None else 0)
        item = {
            MAIN.partition: self._key.partition,
            MAIN.sort: self._key.sort,
            "owner": self._settings.owner,
            "fence": fence,
            "leaseUntil": until_ms,
            "leaseMs": round(self._settings.duration * 1000),
            "sinceMs": self._time.wall_ms(),
        }
        condition = Condition(exists=False) if seen is None else seen.unchanged()
        try:
            await self._tables.write(Put(MAIN, item, condition))
        except ConditionFailed:
            return None
        self._held = _Held(fence, until_ms, self._deadline(sent))
        self._keeper = asyncio.create_task(self._keep(self._held))
        return fence

    # --- holding -------------------------------------------------------------

    async def _keep(self, held: _Held) -> None:
        """Renew it until it is given back or lost."""
        duration = self._settings.duration
        pause = duration / 3
        while True:
            await self._time.sleep(pause)
            try:
                await self._renew(held)
            except ConditionFailed:
                await self._lose(held)
                return
            except StoreError as error:
                self._events.troubled(error)
                pause = duration / LOOKS
            else:
                pause = duration / 3

    async def _renew(self, held: _Held) -> None:
        sent = self._time.monotonic()
        held.until_ms = self._until_ms(held.until_ms)
        told = {"url": held.url} if held.url else {}
        await self._tables.write(
            Update(
                MAIN,
                self._key,
                set={"leaseUntil": held.until_ms, **told},
                condition=self._ours(held),
            )
        )
        held.deadline = max(held.deadline, self._deadline(sent))

    async def _lose(self, held: _Held) -> None:
        self._held = None
        taker = None
        with suppress(StoreError):  # it is lost, whoever has it
            taker = await self._look()
        who = f"{taker.owner}, fence {taker.fence}" if taker and taker.owner else "somebody unknown"
        self._loss = LeaseLost(
            f"{self._place} was taken over by {who}; ours was {held.fence}", _TAKEN
        )
        self._is_lost.set()

    async def _give_back(self, held: _Held) -> None:
        """Leave the record without an owner, so that a late renewal of ours fails."""
        given_back = Update(
            MAIN,
            self._key,
            set={"leaseUntil": 0},
            remove=("owner", "url", "leaseMs", "sinceMs"),
            condition=self._ours(held),
        )
        with suppress(ConditionFailed):  # another process has it, who need not be told
            await self._tables.write(given_back)

    def _ours(self, held: _Held) -> Condition:
        return Condition(equals={"owner": self._settings.owner, "fence": held.fence})

    def _deadline(self, sent: float) -> float:
        return sent + self._settings.duration * (1 - MARGIN)

    def _until_ms(self, last_ms: int) -> int:
        """When it ends by our wall clock; higher than `last_ms`, also when that clock was set."""
        return max(self._time.wall_ms() + round(self._settings.duration * 1000), last_ms + 1)
