"""What may be asked over HTTP: credits of an identity, or of an address where nobody is named.

Owns the purses and how many are remembered: the one that was used longest ago is forgotten, and is
full by then unless somebody commands very many addresses. Never refuses a purse. Called by the
callers of each request.
"""

from collections import OrderedDict
from collections.abc import Sequence

from canvas.networks import Network
from canvas.refusals import Refusal, Refused
from server.access.addresses import address_key, is_exempt
from server.access.limits import CreditRule
from server.clock import Clock
from server.session.allowance import Bucket, Buckets

MAX_PURSES = 20_000
"""About 8 MB."""
NO_LIMIT = CreditRule(0, 0)
NAMES = {Bucket.MESSAGES: "requests", Bucket.LIMITS: "limits"}
"""What the buckets are called over HTTP."""


class HttpPurse(Buckets):
    """The credits of one identity or address."""

    __slots__ = ()

    names = NAMES

    def charge(self, cost: int, bucket: Bucket = Bucket.MESSAGES) -> Refusal | None:
        """Pay from a bucket; a refusal costs nothing."""
        wait_ms = self._credits(bucket).take(cost, self._clock.monotonic_ms())
        if not wait_ms:
            return None
        text = "too many requests; wait retryAfterMs and send fewer"
        return Refusal(Refused.RATE, text, wait_ms, NAMES[bucket])

    def left(self, bucket: Bucket) -> tuple[int, int]:
        """Tell how many credits a bucket holds, and in how many ms it is full."""
        now_ms, credits_left = self._clock.monotonic_ms(), self._credits(bucket)
        return credits_left.left(now_ms) or 0, credits_left.full_in_ms(now_ms)


class Purses:
    """The purses of all who asked lately."""

    def __init__(
        self,
        rule: CreditRule,
        clock: Clock,
        exceptions: Sequence[Network] = (),
        max_purses: int = MAX_PURSES,
    ) -> None:
        self._rule = rule
        self._clock = clock
        self._exceptions = exceptions
        self._max_purses = max_purses
        self._purses: OrderedDict[str, HttpPurse] = OrderedDict()
        self._bottomless = HttpPurse(NO_LIMIT, clock)

    def __len__(self) -> int:
        return len(self._purses)

    def of_user(self, user_id: str) -> HttpPurse:
        """Give the purse of an identity."""
        return self._of(f"user {user_id}")

    def of_address(self, address: str) -> HttpPurse:
        """Give the purse of an IPv4 address or IPv6 /64; that of exempt networks has no end."""
        if is_exempt(address, self._exceptions):
            return self._bottomless
        return self._of(f"address {address_key(address)}")

    def _of(self, key: str) -> HttpPurse:
        purse = self._purses.get(key)
        if purse is None:
            purse = self._purses[key] = HttpPurse(self._rule, self._clock)
            if len(self._purses) > self._max_purses:
                self._purses.popitem(last=False)
        else:
            self._purses.move_to_end(key)
        return purse
