"""What a game lives on that a command wakes where no server runs.

Owns that the server's limits count there, too. Called by the commands that change a board without a
server: import, restore, epoch.
"""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from canvas.address import AddressPolicy
from server.care.solitary import Complaint, Surroundings
from server.cli.progress import Advance
from server.cli.stores import opened
from server.clock import SystemClock
from server.config import Settings
from server.recovery.reader import RecoveryEvents


@asynccontextmanager
async def surroundings(
    settings: Settings, advance: Advance, complain: Complaint
) -> AsyncIterator[Surroundings]:
    """Open the store for writing. Raises StoreError, StoreInUse where a server runs."""
    policy = AddressPolicy(settings.address_cooldown, settings.address_budget)
    async with opened(settings) as store:
        events = RecoveryEvents(advance, complain)
        yield Surroundings(store, SystemClock(), policy, events, complain)
