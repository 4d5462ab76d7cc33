"""What one connection, one address and the whole process may ask: counters, no policy of games.

Every limit is bounded in memory and off at 0; exempt networks are outside all limits per address.
Time comes from a monotonic clock in integer milliseconds. Called by the door (handshakes) and by
the session (connections, credits, guests). Cooldowns and address budgets are canvas/'s.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from enum import Enum

from canvas.networks import Network
from server.access.addresses import address_key, is_exempt

MonotonicMs = Callable[[], int]

MAX_RETRY_AFTER_S = 30
GUEST_KEEP_MS = 3_600_000
MAX_DEPARTED_GUESTS = 100_000


@dataclass(frozen=True, slots=True)
class CreditRule:
    """How fast credits come back and how many can be saved; either at 0 switches the limit off."""

    rate: int
    """Credits per second."""
    burst: int
    off: bool = field(init=False, repr=False, compare=False)
    """Whether there is no limit."""

    def __post_init__(self) -> None:
        object.__setattr__(self, "off", self.rate == 0 or self.burst == 0)


class Credits:
    """A token bucket held in one integer: the moment at which it will be full again.

    Time is counted in units of 1/rate ms, in which a credit is always worth 1,000, so that nothing
    is ever rounded away.
    """

    __slots__ = ("_full_at", "rule")

    def __init__(self, rule: CreditRule) -> None:
        self.rule = rule
        """The rule that the bucket follows."""
        self._full_at = 0

    def take(self, cost: int, now_ms: int) -> int:
        """Pay `cost` credits and return 0, or take nothing and return the ms until it can be paid.

        What costs more than the bucket holds is paid by a full bucket.
        """
        rule = self.rule
        if rule.off:
            return 0
        now = now_ms * rule.rate
        full_at = max(self._full_at, now) + min(cost, rule.burst) * 1000
        excess = full_at - now - rule.burst * 1000
        if excess > 0:
            return -(-excess // rule.rate)
        self._full_at = full_at
        return 0

    def left(self, now_ms: int) -> int | None:
        """Whole credits in the bucket; None when there is no limit. Costs nothing."""
        rule = self.rule
        if rule.off:
            return None
        owed = max(0, self._full_at - now_ms * rule.rate)
        return rule.burst - -(-owed // 1000)

    def to_json(self, now_ms: int) -> dict[str, int]:
        """Tell what is left in the bucket and when it is full again. Costs nothing."""
        return {
            "left": self.left(now_ms) or 0,
            "burst": self.rule.burst,
            "perSecond": self.rule.rate,
            "fullInMs": self.full_in_ms(now_ms),
        }

    def full_in_ms(self, now_ms: int) -> int:
        """Milliseconds until the bucket is full. Costs nothing."""
        rule = self.rule
        if rule.off:
            return 0
        return -(-max(0, self._full_at - now_ms * rule.rate) // rule.rate)


class TooMany(Enum):
    """Why no further connection is served."""

    OF_SERVER = "the server serves as many connections as it may"
    OF_ADDRESS = "your address has as many connections as it may"


class ConnectionLimits:
    """Counts live connections, of the server and of each address or IPv6 /64."""

    def __init__(self, total: int, per_address: int, exceptions: Sequence[Network] = ()) -> None:
        self._total = total
        self._per_address = per_address
        self._exceptions = exceptions
        self._count = 0
        self._of_address: dict[str, int] = {}

    def __len__(self) -> int:
        return self._count

    def join(self, address: str) -> TooMany | None:
        """Count one more connection, or say why it may not be; only the counted ones `leave`."""
        if self._total and self._count >= self._total:
            return TooMany.OF_SERVER
        key = address_key(address)
        held = self._of_address.get(key, 0)
        full = self._per_address and held >= self._per_address
        if full and not is_exempt(address, self._exceptions):
            return TooMany.OF_ADDRESS
        self._of_address[key] = held + 1
        self._count += 1
        return None

    def leave(self, address: str) -> None:
        """Forget one connection that was counted. Raises KeyError when there is none."""
        key = address_key(address)
        held = self._of_address[key] - 1
        if held:
            self._of_address[key] = held
        else:
            del self._of_address[key]
        self._count -= 1


class HandshakeLimit:
    """Bounds how many handshakes the process accepts per second.

    Each refused client is told a later moment than the one before it, at the pace at which
    handshakes are accepted, so that a crowd that was cut does not come back all at once.
    """

    def __init__(self, per_second: int, monotonic_ms: MonotonicMs) -> None:
        self._monotonic_ms = monotonic_ms
        self._credits = Credits(CreditRule(per_second, per_second))
        self._per_second = per_second
        self._promised_until = 0

    def admit(self) -> int | None:
        """Accept a handshake (None), or return the seconds after which to come back."""
        now_ms = self._monotonic_ms()
        if not self._credits.take(1, now_ms):
            return None
        now = now_ms * self._per_second
        self._promised_until = max(self._promised_until, now) + 1000
        wait_s = -(-(self._promised_until - now) // (1000 * self._per_second))
        return min(wait_s, MAX_RETRY_AFTER_S)


class GuestLimit:
    """Bounds how many guests an address has: those connected, and those who left lately.

    A guest counts while connected and for `keep_ms` after the last connection ended: a class that
    goes makes room for the next one, a farm gains nothing by hanging up and minting again. Who
    comes back with a guest's token is counted and never refused. The departed are bounded: past
    `max_departed` the one who left first is forgotten.
    """

    def __init__(
        self,
        per_address: int,
        monotonic_ms: MonotonicMs,
        exceptions: Sequence[Network] = (),
        keep_ms: int = GUEST_KEEP_MS,
        max_departed: int = MAX_DEPARTED_GUESTS,
    ) -> None:
        self._per_address = per_address
        self._monotonic_ms = monotonic_ms
        self._exceptions = exceptions
        self._keep_ms = keep_ms
        self._max_departed = max_departed
        self._connections: dict[str, dict[str, int]] = {}
        """By address and guest, how many connections are open; 0 for one who left."""
        self._departed: dict[tuple[str, str], int] = {}
        """Until when those who left count, in the order in which they left."""

    def wait_ms(self, address: str) -> int:
        """Return 0 when a guest may be minted for this address, else after how long to ask."""
        if not self._per_address or is_exempt(address, self._exceptions):
            return 0
        now_ms = self._monotonic_ms()
        self._forget_expired(now_ms)
        key = address_key(address)
        guests = self._connections.get(key, {})
        if len(guests) < self._per_address:
            return 0
        ends = (self._departed[key, guest] for guest, held in guests.items() if not held)
        return max(1, min(ends, default=now_ms + self._keep_ms) - now_ms)

    def join(self, address: str, guest: str) -> None:
        """Count a connection of a guest; each `join` is undone by one `leave`."""
        key = address_key(address)
        guests = self._connections.setdefault(key, {})
        guests[guest] = guests.get(guest, 0) + 1
        self._departed.pop((key, guest), None)

    def leave(self, address: str, guest: str) -> None:
        """Forget a connection of a guest. Raises KeyError when it was not counted."""
        key = address_key(address)
        guests = self._connections[key]
        if not guests[guest]:
            raise KeyError(guest)
        guests[guest] -= 1
        if not guests[guest]:
            now_ms = self._monotonic_ms()
            self._departed[key, guest] = now_ms + self._keep_ms
            self._forget_expired(now_ms)

    def _forget_expired(self, now_ms: int) -> None:
        while self._departed:
            (key, guest), until_ms = next(iter(self._departed.items()))
            if until_ms > now_ms and len(self._departed) <= self._max_departed:
                return
            del self._departed[key, guest]
            self._forget(key, guest)

    def _forget(self, key: str, guest: str) -> None:
        guests = self._connections[key]
        del guests[guest]
        if not guests:
            del self._connections[key]
