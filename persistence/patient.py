"""A store whose calls are repeated while it is away or throttles: for a minute and a half in all.

A reading of the history goes on after what it has given, so that a long one need not begin again,
and its time begins anew with each page. For a start, and for whoever waits at a terminal: after
that it is told. Only calls that are harmless to repeat may be made through it, which an addition to
a number is not.
"""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from dataclasses import replace
from itertools import chain

from persistence.errors import StoreError, TransientFault
from persistence.ports import Item, Journal, Store
from persistence.tables import HISTORY
from persistence.wrapped import Result, WrappedJournal, wrapped

PAUSES = (0.5, 1.0, 2.0, 4.0, 8.0, 16.0, 30.0, 30.0)

Complain = Callable[[StoreError], None]
Sleep = Callable[[float], Awaitable[None]]


def patient(store: Store, complain: Complain, sleep: Sleep = asyncio.sleep) -> Store:
    """Return `store`; `complain` is told of each fault that is waited out."""
    patience = _Patience(complain, sleep)
    waiting = wrapped(store, patience.around)
    return replace(waiting, journal=_PatientJournal(store.journal, patience))


class _Patience:
    """How a fault is waited out."""

    def __init__(self, complain: Complain, sleep: Sleep) -> None:
        self._complain = complain
        self._sleep = sleep

    async def around(
        self, operation: str, items: int, call: Callable[[], Awaitable[Result]]
    ) -> Result:
        """Do a call, again and again."""
        del operation, items
        faults = 0
        while True:
            try:
                return await call()
            except TransientFault as fault:
                await self.wait(fault, faults)
            faults += 1

    async def wait(self, fault: TransientFault, faults: int) -> None:
        """Wait after a fault that so many came before; raises it when they were too many."""
        if faults == len(PAUSES):
            raise fault
        self._complain(fault)
        await self._sleep(PAUSES[faults])


class _PatientJournal(WrappedJournal):
    """The `Journal` port."""

    def __init__(self, journal: Journal, patience: _Patience) -> None:
        super().__init__(journal, patience.around)
        self._patience = patience

    async def read(
        self,
        partitions: Sequence[str],
        *,
        after: str = "",
        up_to: str | None = None,
        page: int = 5000,
    ) -> AsyncIterator[list[Item]]:
        """All items between the bounds, in pages, each once."""
        place, faults = _Place(after), 0
        while True:
            reading = self._journal.read(partitions, after=place.after, up_to=up_to, page=page)
            try:
                async for items in reading:
                    if fresh := place.beyond(items):
                        faults = 0
                        yield fresh
            except TransientFault as fault:
                await self._patience.wait(fault, faults)
            else:
                return
            faults += 1


class _Place:
    """How far a reading has come: items of several partitions may share a sort key."""

    def __init__(self, after: str) -> None:
        self.after = after
        """All up to here was given."""
        self._last = (after, "")

    def beyond(self, items: list[Item]) -> list[Item]:
        """Return those that were not given yet, which now are."""
        first = 0
        while first < len(items) and _order(items[first]) <= self._last:
            first += 1
        fresh = items[first:]
        if fresh:
            before, self._last = self._last, _order(fresh[-1])
            sorts = chain((item[HISTORY.sort] for item in reversed(fresh)), before[:1])
            self.after = next((sort for sort in sorts if sort < self._last[0]), self.after)
        return fresh


def _order(item: Item) -> tuple[str, str]:
    return item[HISTORY.sort], item[HISTORY.partition]
