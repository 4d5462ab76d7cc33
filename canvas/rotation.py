"""Visits the keys of a growing dict a few at a time, so that what is over is forgotten.

Owns the order of the visits alone; the dict is its owner's. A sweep never takes longer than the
number of visits that it is given, and two per new key keep a dict from growing past twice what is
alive: no timer, and no stall of a full pass. Used by cooldowns and address budgets.
"""

from collections import deque
from collections.abc import Callable, Hashable
from typing import Generic, TypeVar

Key = TypeVar("Key", bound=Hashable)


class Rotation(Generic[Key]):
    """Each key once, in the order in which it will be visited."""

    __slots__ = ("_keys",)

    def __init__(self) -> None:
        self._keys: deque[Key] = deque()

    def add(self, key: Key) -> None:
        """Take in a key that is not in it yet."""
        self._keys.append(key)

    def sweep(self, visits: int, now_ms: int, forget_if_over: Callable[[Key, int], bool]) -> int:
        """Visit some keys; those that `forget_if_over` forgets leave. Returns how many left."""
        keys = self._keys
        forgotten = 0
        for _ in range(min(visits, len(keys))):
            key = keys.popleft()
            if forget_if_over(key, now_ms):
                forgotten += 1
            else:
                keys.append(key)
        return forgotten
