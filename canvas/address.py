"""How much one address may place, however many identities it has.

Owns, per address, its shortest time between two placements and its budget: how many of its users
may have a cooldown running at once. Knows addresses as keys (one per IPv4 address or IPv6 prefix);
the empty key is never limited, which is how the server exempts a network. Called by the head.
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import partial
from heapq import heappop, heappush, heapreplace
from typing import Any

from canvas.ends import Ends

UNLIMITED = ""
"""The address key that no limit holds for."""


@dataclass(frozen=True, slots=True)
class AddressPolicy:
    """Both limits of an address; 0 switches one off."""

    cooldown_ms: int = 0
    """Shortest time between two placements of one address."""
    budget: int = 40
    """How many cooldowns of one address may run at once; a user's counts once, stacked or not."""

    def __post_init__(self) -> None:
        if self.cooldown_ms < 0 or self.budget < 0:
            raise ValueError(f"{self} has a negative limit; 0 switches one off")


class _Address:
    """What runs at one address.

    `queue` is a heap with one entry per user, its time at most the true end. It is made when the
    budget is first reached: most addresses are one user's and never need it.
    """

    __slots__ = ("end_ms_of", "free_at_ms", "queue")

    def __init__(self) -> None:
        self.free_at_ms = 0
        self.end_ms_of: dict[str, int] = {}
        self.queue: list[tuple[int, str]] | None = None

    def put(self, user: str, end_ms: int) -> None:
        if self.queue is not None and user not in self.end_ms_of:
            heappush(self.queue, (end_ms, user))
        self.end_ms_of[user] = end_ms

    def earliest_end_ms(self, now_ms: int) -> int:
        """Drop what is over; the first end after `now_ms`, or `now_ms` when nothing runs."""
        if self.queue is None:
            self.queue = sorted((end_ms, user) for user, end_ms in self.end_ms_of.items())
        queue = self.queue
        while queue:
            noted_ms, user = queue[0]
            end_ms = self.end_ms_of[user]
            if end_ms <= now_ms:
                heappop(queue)
                del self.end_ms_of[user]
            elif end_ms > noted_ms:
                heapreplace(queue, (end_ms, user))
            else:
                return end_ms
        return now_ms


class AddressBudgets:
    """Running limits of all addresses under one policy, on the monotonic clock."""

    __slots__ = ("_addresses", "_idle", "_policy")

    def __init__(self, policy: AddressPolicy) -> None:
        self._policy = policy
        self._addresses: dict[str, _Address] = {}
        self._idle = Ends()

    def left_ms(self, address_key: str, user: str, now_ms: int) -> int:
        """Time until a placement of that user from there is allowed; 0 when it is."""
        address = self._addresses.get(address_key)
        if address is None:
            return 0
        free_ms = address.free_at_ms - now_ms
        budget = self._policy.budget
        if budget and len(address.end_ms_of) >= budget and user not in address.end_ms_of:
            earliest_ms = address.earliest_end_ms(now_ms)
            if len(address.end_ms_of) >= budget:
                return max(free_ms, earliest_ms - now_ms)
        return max(0, free_ms)

    def take(self, address_key: str, user: str, now_ms: int, end_ms: int) -> bool:
        """Note a placement as `start` does if it is allowed; returns whether it is."""
        address, policy = self._addresses.get(address_key), self._policy
        if (
            address is not None
            and address.queue is None
            and len(address.end_ms_of) < policy.budget
            and end_ms > now_ms >= address.free_at_ms
            and not policy.cooldown_ms
        ):
            # Most placements, at half the cost: nothing of the address runs out or is full.
            address.end_ms_of[user] = end_ms
            idle_ms = self._idle.at_ms
            if idle_ms[address_key] < end_ms:  # noqa: PLR1730  # max() costs as much as the rest
                idle_ms[address_key] = end_ms
            return True
        if address_key and self.left_ms(address_key, user, now_ms):
            return False
        self.start(address_key, user, now_ms, end_ms)
        return True

    def start(self, address_key: str, user: str, now_ms: int, end_ms: int) -> None:
        """Note a placement of a user whose cooldown runs until `end_ms`."""
        policy = self._policy
        if address_key == UNLIMITED:
            return
        if policy.budget and end_ms > now_ms:
            self._running_until(address_key, end_ms).put(user, end_ms)
        if policy.cooldown_ms:
            free_at_ms = now_ms + policy.cooldown_ms
            self._running_until(address_key, free_at_ms).free_at_ms = free_at_ms

    def _running_until(self, address_key: str, end_ms: int) -> _Address:
        address = self._addresses.get(address_key)
        if address is None:
            address = self._addresses[address_key] = _Address()
            self._idle.put(address_key, end_ms)
        elif self._idle.at_ms[address_key] < end_ms:
            self._idle.at_ms[address_key] = end_ms
        return address

    def dump(self, now_ms: int) -> Callable[[], list[list[Any]]]:
        """Hold what runs; what is returned describes it, on any thread.

        Rows of [address key, time until it is free, {user: time left}].
        """
        return partial(_rows, list(self._addresses.items()), now_ms)

    def restore(self, rows: Iterable[Sequence[Any]], away_ms: int, now_ms: int) -> None:
        """Take in what `dump` gave `away_ms` ago."""
        for address_key, free_ms, running in rows:
            if free_ms > away_ms:
                free_at_ms = now_ms + free_ms - away_ms
                self._running_until(address_key, free_at_ms).free_at_ms = free_at_ms
            for user, left_ms in running.items():
                if left_ms > away_ms:
                    end_ms = now_ms + left_ms - away_ms
                    self._running_until(address_key, end_ms).put(user, end_ms)

    def forget_expired(self, now_ms: int, visits: int | None = None) -> int:
        """Forget idle addresses, looking at some as `Ends.sweep` does; returns how many."""
        forgotten = self._idle.sweep(now_ms, visits)
        for address_key in forgotten:
            del self._addresses[address_key]
        return len(forgotten)

    def __len__(self) -> int:
        return len(self._addresses)


def _rows(addresses: list[tuple[str, _Address]], now_ms: int) -> list[list[Any]]:
    rows: list[list[Any]] = []
    for address_key, address in addresses:
        # A copy is one step for the interpreter, so that placing may go on meanwhile.
        ends = dict(address.end_ms_of)
        running = {user: end_ms - now_ms for user, end_ms in ends.items() if end_ms > now_ms}
        free_ms = max(0, address.free_at_ms - now_ms)
        if running or free_ms:
            rows.append([address_key, free_ms, running])
    return rows
