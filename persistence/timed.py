"""How long the store's calls take, told to an observer; knows no metrics library."""

from collections.abc import Awaitable, Callable

from persistence.ports import Store
from persistence.wrapped import Result, wrapped

Observe = Callable[[str, float, int], None]
"""Called with (`port.method`, seconds, items written), also when the call failed."""


def timed(store: Store, observe: Observe, monotonic: Callable[[], float]) -> Store:
    """Return `store` with each call observed; `monotonic` gives seconds."""

    async def around(operation: str, items: int, call: Callable[[], Awaitable[Result]]) -> Result:
        began = monotonic()
        try:
            return await call()
        finally:
            observe(operation, monotonic() - began, items)

    return wrapped(store, around)
