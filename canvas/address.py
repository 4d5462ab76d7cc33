"""How much one address may place, however many identities it has.

Owns, per address, its shortest time between two placements and its budget: how many of its users
may have a cooldown running at once. Knows addresses as keys (one per IPv4 address or IPv6 prefix);
the empty key is never limited, which is how the server exempts a network. Called by the head.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from heapq import heappop, heappush, heapreplace

from canvas.rotation import Rotation

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
    """What runs at one address. `queue` has one entry per user, its time at most the true end."""

    __slots__ = ("end_ms_of", "free_at_ms", "queue")

    def __init__(self) -> None:
        self.free_at_ms = 0
        self.end_ms_of: dict[str, int] = {}
        self.queue: list[tuple[int, str]] = []

    def put(self, user: str, end_ms: int) -> None:
        if user not in self.end_ms_of:
            heappush(self.queue, (end_ms, user))
        self.end_ms_of[user] = end_ms

    def earliest_end_ms(self, now_ms: int) -> int:
        """Drop what is over; the first end after `now_ms`, or `now_ms` when nothing runs."""
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

    __slots__ = ("_addresses", "_policy", "_rotation")

    def __init__(self, policy: AddressPolicy) -> None:
        self._policy = policy
        self._addresses: dict[str, _Address] = {}
        self._rotation: Rotation[str] = Rotation()

    def left_ms(self, address_key: str, user: str, now_ms: int) -> int:
        """Time until a placement of that user from there is allowed; 0 when it is."""
        address = self._addresses.get(address_key)
        if address is None:
            return 0
        return max(address.free_at_ms - now_ms, self._budget_left_ms(address, user, now_ms), 0)

    def _budget_left_ms(self, address: _Address, user: str, now_ms: int) -> int:
        budget = self._policy.budget
        if budget == 0 or len(address.end_ms_of) < budget or user in address.end_ms_of:
            return 0
        earliest_ms = address.earliest_end_ms(now_ms)
        return earliest_ms - now_ms if len(address.end_ms_of) >= budget else 0

    def start(self, address_key: str, user: str, now_ms: int, left_ms: int) -> None:
        """Note a placement whose user's cooldown runs for `left_ms` from now."""
        policy = self._policy
        counts = left_ms > 0 and policy.budget > 0
        if address_key == UNLIMITED or not (counts or policy.cooldown_ms):
            return
        address = self._addresses.get(address_key)
        if address is None:
            address = self._add(address_key, now_ms)
        if policy.cooldown_ms:
            address.free_at_ms = now_ms + policy.cooldown_ms
        if counts:
            address.put(user, now_ms + left_ms)

    def _add(self, address_key: str, now_ms: int) -> _Address:
        self._rotation.sweep(2, now_ms, self._forget_if_over)
        self._rotation.add(address_key)
        address = self._addresses[address_key] = _Address()
        return address

    def running(self, now_ms: int) -> Iterator[tuple[str, str, int]]:
        """Address key, user and time left of every running cooldown that counts."""
        for address_key, address in self._addresses.items():
            for user, end_ms in address.end_ms_of.items():
                if end_ms > now_ms:
                    yield address_key, user, end_ms - now_ms

    def forget_expired(self, now_ms: int, limit: int = 1000) -> int:
        """Forget idle addresses, looking at `limit` at most; returns how many."""
        return self._rotation.sweep(limit, now_ms, self._forget_if_over)

    def _forget_if_over(self, address_key: str, now_ms: int) -> bool:
        address = self._addresses[address_key]
        if address.earliest_end_ms(now_ms) > now_ms or address.free_at_ms > now_ms:
            return False
        del self._addresses[address_key]
        return True

    def __len__(self) -> int:
        return len(self._addresses)
