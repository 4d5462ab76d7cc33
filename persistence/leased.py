"""A store that writes only while its lease is valid, and whose commits count only if it still is.

A commit whose answer came too late fails as one that may be repeated: nothing of it was published,
and nothing happens twice. When the lease is lost that never ends, and its owner, who is told by
`Lease.lost`, has to stop. Around the other wrappers, so that no await is between check and return.
"""

from collections.abc import Awaitable, Callable

from persistence.errors import TransientFault
from persistence.ports import Lease, Store
from persistence.wrapped import WRITES, Result, wrapped

_COUNTED = {"journal.commit"}
"""Harmless to repeat, which an addition to a number is not."""
_RENEWED = "it is renewed by itself as soon as the store answers; look at the network"


def leased(store: Store) -> Store:
    """Return `store`, its writes bound to its lease."""
    lease = store.lease

    async def around(operation: str, items: int, call: Callable[[], Awaitable[Result]]) -> Result:
        del items
        if operation in WRITES:
            _check(lease, operation)
        result = await call()
        if operation in _COUNTED:
            _check(lease, operation)
        return result

    return wrapped(store, around)


def _check(lease: Lease, operation: str) -> None:
    if not lease.valid():
        raise TransientFault(f"{operation}: the right to write was not renewed in time", _RENEWED)
