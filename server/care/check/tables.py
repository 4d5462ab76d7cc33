"""What lies in the tables besides games and their history.

Owns the kinds of items that this version knows. Called by store.py for each item, and by game.py
for the fences that the lease has given.
"""

from persistence.ports import Tables
from persistence.tables import MAIN

LEASE_PARTITION = "LEASE"


async def given_fence(tables: Tables) -> int | None:
    """Return the highest fence that a lease has given; None when there never was one."""
    page = await tables.query(MAIN, LEASE_PARTITION)
    fences = [item["fence"] for item in page.items if isinstance(item.get("fence"), int)]
    return max(fences, default=None)
