"""The right to write, held for as long as a piece of work takes; the work ends when it is lost.

For commands: without this their commits, which wait for a store that is away, would wait for ever
once another process has taken over. A server has its own way to end (lifecycle.py).
"""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from persistence.ports import Lease


@asynccontextmanager
async def holding(lease: Lease, *, above: int = 0) -> AsyncIterator[int]:
    """Take the lease for the block, and give its fence; it is given back at the end.

    Raises StoreInUse when another process has it, and LeaseLost when one took it meanwhile: what
    the block awaits is cancelled then.
    """
    fence = await lease.acquire(above=above)
    watching = asyncio.create_task(lease.lost())
    block = asyncio.timeout(None)

    def end(_: object) -> None:
        block.reschedule(asyncio.get_running_loop().time())

    watching.add_done_callback(end)
    try:
        async with block:
            yield fence
    except TimeoutError:
        if not block.expired():
            raise
        raise watching.result() from None
    finally:
        watching.remove_done_callback(end)
        watching.cancel()
        await lease.release()
