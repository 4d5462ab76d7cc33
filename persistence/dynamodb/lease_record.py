"""What is written of a lease, and what its adapter is given: settings, clocks, who is told.

Values alone; nothing here calls a store. `dynamodb/lease.py` and its composition use it.
"""

import asyncio
import os
import socket
from collections.abc import Awaitable, Callable
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime

from persistence.errors import StoreDamaged, StoreError
from persistence.ports import Condition, Holding, Item
from persistence.tables import MAIN

PARTITION = "LEASE"
LONGEST_MS = 3_600_000
"""Of a lease; a record that tells of a longer one is no lease."""
_DAMAGED = (
    "put back its owner, fence (a number) and leaseUntil: `tesserae lease show` tells who has it,"
    " `tesserae store check` what fences have written"
)


@dataclass(frozen=True, slots=True)
class LeaseSettings:
    """What is leased, by whom, and how."""

    game: str
    owner: str
    """Names this process to people, and is like no other's: see `this_process`."""
    duration: float
    """Seconds that a dead holder keeps others waiting; renewals come every third of it."""
    waits: bool = True
    """Whether to wait until the holder is gone, or else to refuse while there is one."""


@dataclass(frozen=True, slots=True)
class LeaseTime:
    """The clocks of a process, and its way to wait."""

    monotonic: Callable[[], float]
    """Seconds; better one that goes on while the machine sleeps (CLOCK_BOOTTIME)."""
    wall_ms: Callable[[], int]
    sleep: Callable[[float], Awaitable[None]] = asyncio.sleep


@dataclass(frozen=True, slots=True)
class LeaseEvents:
    """What the operator is told."""

    waiting: Callable[[str, float], None]
    """Called with the holder in words and the seconds for which it is watched; again for each
    renewal of it."""
    troubled: Callable[[StoreError], None]
    """A call failed and is tried again."""


@dataclass(frozen=True, slots=True)
class Record:
    """The item as it was read."""

    owner: str
    """Empty when the last holder gave it back."""
    fence: int
    until_ms: int
    url: str = ""
    lease_ms: int = 0
    """What its holder renews it by: who waits has to watch for as long, whatever its own are."""
    since_ms: int = 0
    """When it was taken, by its holder's wall clock; for people."""

    @classmethod
    def of(cls, item: Item) -> "Record":
        """Read an item. Raises StoreDamaged."""
        record = cls(
            item.get("owner", ""),
            item.get("fence", 0),
            item.get("leaseUntil", 0),
            item.get("url", ""),
            item.get("leaseMs", 0),
            item.get("sinceMs", 0),
        )
        if not record._is_sound():
            place = f"{item.get(MAIN.partition)} / {item.get(MAIN.sort)}"
            raise StoreDamaged(f"the item {place} is no lease", _DAMAGED)
        return record

    def _is_sound(self) -> bool:
        numbers = (self.fence, self.until_ms, self.lease_ms, self.since_ms)
        texts = (self.owner, self.url)
        return (
            all(type(number) is int for number in numbers)
            and all(type(text) is str for text in texts)
            and self.fence >= 1
            and 0 <= self.lease_ms <= LONGEST_MS
        )

    @property
    def holder(self) -> str:
        """Who has it, in words."""
        words = self.owner
        with suppress(ValueError, OverflowError, OSError):  # a clock that was far off
            since = datetime.fromtimestamp(self.since_ms / 1000, UTC)
            words += f" since {since:%Y-%m-%d %H:%M:%S} UTC" if self.since_ms else ""
        return words + (f", reached at {self.url}" if self.url else "")

    def holding(self) -> Holding:
        """Return what the item tells people."""
        if not self.owner:
            return Holding(self.fence)
        return Holding(
            self.fence,
            self.owner,
            self.url,
            since_ms=self.since_ms or None,
            until_ms=self.until_ms,
            lease_ms=self.lease_ms or None,
        )

    def unchanged(self) -> Condition:
        """Return the condition that it is still as it was read."""
        numbers = {"fence": self.fence, "leaseUntil": self.until_ms}
        if self.owner:
            return Condition(equals={"owner": self.owner, **numbers})
        return Condition(equals=numbers, absent=("owner",))


def this_process(token: str) -> str:
    """Name this process; `token` is by chance, since process numbers come again."""
    return f"process {os.getpid()} on {socket.gethostname()} ({token})"
