"""Leases in memory that a test takes away."""

import asyncio

from persistence.errors import LeaseLost
from tests.support.memory_store import MemoryLease

TAKEN = LeaseLost("the game place#main was taken over by b, fence 2; ours was 1", "stop one")


class LosableLease(MemoryLease):
    """Lost when a test says so; until then it may be invalid for a while."""

    def __init__(self) -> None:
        super().__init__([0, 0, ""])
        self.is_valid = True
        self.turn = asyncio.Event()
        self.turn.set()
        self._taken = asyncio.Event()

    async def acquire(self, *, above: int = 0) -> int:
        """Wait for its `turn`, which it has unless a test says otherwise."""
        await self.turn.wait()
        return await super().acquire(above=above)

    def take_away(self) -> None:
        """Let another process have it."""
        self.is_valid = False
        self._taken.set()

    def valid(self) -> bool:
        return self.is_valid and super().valid()

    async def lost(self) -> LeaseLost:
        await self._taken.wait()
        return TAKEN
