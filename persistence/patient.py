"""A store whose calls are repeated while it is away or throttles: for a minute and a half in all.

For whoever waits at a terminal: after that it is told. A page of a reading is not repeated, since a
broken reading cannot go on. Only calls that are harmless to repeat may be made through it, which
an addition to a number is not.
"""

import asyncio
from collections.abc import Awaitable, Callable

from persistence.errors import StoreError, TransientFault
from persistence.ports import Store
from persistence.wrapped import Result, wrapped

PAUSES = (0.5, 1.0, 2.0, 4.0, 8.0, 16.0, 30.0, 30.0)
_ONCE = {"journal.read"}


def patient(
    store: Store,
    complain: Callable[[StoreError], None],
    sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
) -> Store:
    """Return `store`; `complain` is told of each fault that is waited out."""

    async def around(operation: str, items: int, call: Callable[[], Awaitable[Result]]) -> Result:
        del items
        for pause in PAUSES if operation not in _ONCE else ():
            try:
                return await call()
            except TransientFault as fault:
                complain(fault)
            await sleep(pause)
        return await call()

    return wrapped(store, around)
