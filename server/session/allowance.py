"""What one connection may still ask: its credits, and when its refusals become a flood.

Owns two buckets of credits, one for all messages and one for asking about limits, which requests
over HTTP have as well, and the count of messages that came in spite of a refusal. It closes
nothing: the session does, when `flooding` says so.
"""

from collections.abc import Mapping
from enum import Enum
from typing import ClassVar

from canvas.refusals import Refusal, Refused
from server.access.limits import CreditRule, Credits
from server.clock import Clock

FLOOD_WINDOW_MS = 10_000
FLOOD_BURSTS = 4
"""A connection does not listen that has four times its burst refused within ten seconds, each
before the delay of an earlier refusal was over. Who waits as told is never counted."""


class Bucket(Enum):
    """Where the credits of a command come from; the value is its name in JSON."""

    MESSAGES = "messages"
    """All commands, and each placement."""
    LIMITS = "limits"
    """Asking what is left, which so never costs a placement."""


class Buckets:
    """The credits of somebody who asks, by one rule; most never ask about limits."""

    __slots__ = ("_clock", "_limits", "_messages")

    names: ClassVar[Mapping[Bucket, str]] = {bucket: bucket.value for bucket in Bucket}
    """What the buckets are called in JSON."""

    def __init__(self, rule: CreditRule, clock: Clock) -> None:
        self._clock = clock
        self._messages = Credits(rule)
        self._limits: Credits | None = None

    @property
    def rule(self) -> CreditRule:
        """The rule that each bucket follows."""
        return self._messages.rule

    def _credits(self, bucket: Bucket) -> Credits:
        if bucket is Bucket.MESSAGES:
            return self._messages
        if self._limits is None:
            self._limits = Credits(self._messages.rule)
        return self._limits

    def to_json(self) -> dict[str, dict[str, int]]:
        """What is left in each bucket and when it is full again; empty when there is no limit."""
        if self.rule.off:
            return {}
        now_ms = self._clock.monotonic_ms()
        return {name: self._credits(bucket).to_json(now_ms) for bucket, name in self.names.items()}


class Allowance(Buckets):
    """The credits of one connection."""

    __slots__ = ("_ignored", "_retry_at_ms", "_window_ends_ms")

    def __init__(self, rule: CreditRule, clock: Clock) -> None:
        super().__init__(rule, clock)
        self._ignored = 0
        self._retry_at_ms: dict[Bucket, int] = {}
        self._window_ends_ms = 0

    def pay_at_once(self, cost: int) -> bool:
        """Pay for all placements of a frame, or for none; then they are charged one by one."""
        rule = self._messages.rule
        if rule.off:
            return True
        if cost > rule.burst:
            return False
        return self._messages.take(cost, self._clock.monotonic_ms()) == 0

    def charge(self, cost: int, bucket: Bucket) -> Refusal | None:
        """Pay for a message, or for a placement of one; a refusal costs nothing."""
        now_ms = self._clock.monotonic_ms()
        wait_ms = self._credits(bucket).take(cost, now_ms)
        if not wait_ms:
            return None
        if now_ms < self._retry_at_ms.get(bucket, 0):
            self._count_ignored(cost, now_ms)
        self._retry_at_ms[bucket] = now_ms + wait_ms
        return Refusal(
            Refused.RATE,
            "too many messages; wait retryAfterMs and send fewer",
            wait_ms,
            self.names[bucket],
        )

    def _count_ignored(self, cost: int, now_ms: int) -> None:
        if now_ms >= self._window_ends_ms:
            self._window_ends_ms = now_ms + FLOOD_WINDOW_MS
            self._ignored = 0
        self._ignored += cost

    @property
    def flooding(self) -> bool:
        """Whether the connection goes on in spite of its refusals."""
        return self._ignored > FLOOD_BURSTS * self._messages.rule.burst
