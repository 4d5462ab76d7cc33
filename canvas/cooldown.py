"""Cooldowns of users: how long until the next placement, and how many are saved up.

Owns one number per running user: when the stack will be full again (the generic cell rate
algorithm). Everything else follows from it and `now_ms`, on a clock that never jumps.
Never asks who a user is. Called by the head; recovery restores it.
"""

from dataclasses import dataclass, field
from typing import Any

from canvas.ends import Ends

MAX_COOLDOWN_MS = 10 * 366 * 24 * 3600 * 1000
"""Ten years: far beyond use, and a stack of it stays exact in JSON's doubles."""
MAX_STACK = 1000


@dataclass(frozen=True, slots=True)
class CooldownRule:
    """One placement is earned every `ms`; up to `max_stack` are kept. 0 ms: no cooldown."""

    ms: int
    max_stack: int = 1
    full_ms: int = field(init=False, repr=False, compare=False)
    """How long an empty stack takes to fill."""
    spare_ms: int = field(init=False, repr=False, compare=False)
    """How far from full a stack may be that still has a placement."""

    def __post_init__(self) -> None:
        if not 0 <= self.ms <= MAX_COOLDOWN_MS:
            raise ValueError(f"a cooldown of {self.ms} ms is not possible; 0 to {MAX_COOLDOWN_MS}")
        if not 1 <= self.max_stack <= MAX_STACK:
            raise ValueError(f"a stack of {self.max_stack} is not possible; use 1 to {MAX_STACK}")
        object.__setattr__(self, "full_ms", self.ms * self.max_stack)
        object.__setattr__(self, "spare_ms", self.ms * (self.max_stack - 1))

    @property
    def name(self) -> str:
        """`fixed`, or `stack` when more than one placement is kept."""
        return "fixed" if self.max_stack == 1 else "stack"

    def to_json(self) -> dict[str, Any]:
        """The protocol's form: `{rule, ms, maxStack}`."""
        return {"rule": self.name, "ms": self.ms, "maxStack": self.max_stack}


class Cooldowns:
    """Running cooldowns under one rule.

    `rule` may be set at any time. A running cooldown keeps its end: the moment at which its stack
    is full does not move, and what may be placed before it is read under the new rule.
    """

    __slots__ = ("_full", "rule")

    def __init__(self, rule: CooldownRule) -> None:
        self.rule = rule
        self._full = Ends()

    def left_ms(self, user: str, now_ms: int) -> int:
        """Time until the user may place; 0 from the moment on at which it is allowed."""
        full_at_ms = self._full.at_ms.get(user)
        if full_at_ms is None:
            return 0
        left_ms = full_at_ms - now_ms - self.rule.spare_ms
        return left_ms if left_ms > 0 else 0  # noqa: FURB136  # max() costs as much as all the rest

    def full_left_ms(self, user: str, now_ms: int) -> int:
        """Time until the user's stack is full."""
        return max(0, self._full.at_ms.get(user, now_ms) - now_ms)

    def stack(self, user: str, now_ms: int) -> int:
        """How many placements the user has now, 0…max_stack."""
        return self.standing(user, now_ms)[0]

    def standing(self, user: str, now_ms: int) -> tuple[int, int]:
        """How many placements the user has now, and the time until the next: what acks tell."""
        rule = self.rule
        owed_ms = self._full.at_ms.get(user, now_ms) - now_ms
        if owed_ms <= 0:
            return rule.max_stack, 0
        left_ms = max(0, owed_ms - rule.spare_ms)
        return max(0, rule.max_stack - -(-owed_ms // rule.ms)) if rule.ms else 0, left_ms

    def full_after_one(self, user: str, now_ms: int) -> int | None:
        """When the stack would be full again after a placement now; None while none is allowed."""
        rule = self.rule
        full_at_ms = self._full.at_ms.get(user)
        if full_at_ms is None or full_at_ms <= now_ms:
            return now_ms + rule.ms
        return full_at_ms + rule.ms if full_at_ms - now_ms <= rule.spare_ms else None

    def start_until(self, user: str, full_at_ms: int) -> None:
        """Take the placement of which `full_after_one` told, in the same turn."""
        if self.rule.ms:
            at_ms = self._full.at_ms
            if user in at_ms:
                at_ms[user] = full_at_ms
            else:
                self._full.put(user, full_at_ms)

    def start(self, user: str, now_ms: int) -> int:
        """Take one placement, which costs `rule.ms`; returns when the stack is full again.

        The caller has tested that `left_ms` is 0.
        """
        cost_ms = self.rule.ms
        if not cost_ms:
            return now_ms
        known_ms = self._full.at_ms.get(user)
        if known_ms is None:
            self._full.put(user, now_ms + cost_ms)
            return now_ms + cost_ms
        since_ms = known_ms if known_ms > now_ms else now_ms  # noqa: FURB136  # as above
        self._full.at_ms[user] = full_at_ms = since_ms + cost_ms
        return full_at_ms

    def replay(self, user: str, at_ms: int, cost_ms: int, now_ms: int) -> None:
        """Take a placement of the past (`at_ms` on this clock) again, at most to an empty stack."""
        full_at_ms = max(self._full.at_ms.get(user, at_ms), at_ms) + cost_ms
        self._full.put(user, min(full_at_ms, now_ms + self.rule.full_ms))

    def restore(self, user: str, full_left_ms: int, now_ms: int) -> None:
        """Let a stack be full in `full_left_ms`, at most in the time that an empty one takes.

        One that is full already (negative) is kept until the next sweep: of a placement between
        then and now, which `replay` takes again, it tells how full the stack was.
        """
        self._full.put(user, now_ms + min(full_left_ms, self.rule.full_ms))

    def full_at_ms(self) -> dict[str, int]:
        """Copy of when each known stack is full; of some that is over already."""
        return dict(self._full.at_ms)

    def forget_expired(self, now_ms: int, visits: int | None = None) -> int:
        """Forget those that are over, looking at some as `Ends.sweep` does; returns how many."""
        return len(self._full.sweep(now_ms, visits))

    def __len__(self) -> int:
        return len(self._full)
