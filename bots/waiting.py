"""Waiting for something, but not for ever.

Called by the crew, the stage and teams.
"""

import asyncio


async def came(event: asyncio.Event, within_s: float) -> bool:
    """Wait for an event, so long at the most; returns whether it came."""
    try:
        async with asyncio.timeout(within_s):
            await event.wait()
    except TimeoutError:
        return False
    return True
