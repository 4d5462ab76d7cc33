"""A store for reading alone: it works beside whoever writes, and refuses every write by itself."""

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import replace
from typing import NoReturn

from persistence.errors import LeaseLost, PermanentFault
from persistence.ports import Holding, Lease, Store
from persistence.wrapped import WRITES, Result, wrapped


def read_only(store: Store) -> Store:
    """Return `store` without its lease and its writes."""

    async def around(operation: str, items: int, call: Callable[[], Awaitable[Result]]) -> Result:
        del items
        if operation in WRITES:
            _refuse()
        return await call()

    return replace(wrapped(store, around), lease=NoLease(store.lease))


class NoLease:
    """The `Lease` port of a store that is only read; `lease` is looked at alone."""

    def __init__(self, lease: Lease) -> None:
        self._lease = lease

    async def acquire(self, *, above: int = 0) -> int:
        """Raise PermanentFault."""
        del above
        _refuse()

    def valid(self) -> bool:
        """Return False: nothing may be written."""
        return False

    async def lost(self) -> LeaseLost:
        """Never return: what is not held cannot be lost."""
        never: asyncio.Future[LeaseLost] = asyncio.get_running_loop().create_future()
        return await never

    async def tell(self, url: str) -> None:
        """Do nothing: nobody is kept out."""

    async def look(self) -> Holding:
        """Say who has it."""
        return await self._lease.look()

    async def release(self) -> None:
        """Do nothing."""


def _refuse() -> NoReturn:
    raise PermanentFault("the store was opened for reading", "open it for writing")
