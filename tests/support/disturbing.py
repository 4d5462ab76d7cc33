"""A store at whose calls something else happens first, as beside a server that goes on."""

from collections.abc import Awaitable, Callable

from persistence.ports import Store
from persistence.wrapped import Result, wrapped

Meanwhile = Callable[[], Awaitable[object]]


def disturbed(store: Store, operation: str, meanwhile: Meanwhile, times: int = 1) -> Store:
    """A store at whose `operation` something else happens first, as often as `times` says."""
    left = [times]

    async def around(name: str, _items: int, call: Callable[[], Awaitable[Result]]) -> Result:
        if name == operation and left[0]:
            left[0] -= 1
            await meanwhile()
        return await call()

    return wrapped(store, around)
