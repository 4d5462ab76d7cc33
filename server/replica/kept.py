"""Encoded bytes that are kept to be given out again, bounded in bytes and in number.

Owns what leaves when something new comes: the oldest, at the same cost however many there are.
Knows nothing of what it keeps. Called by catch_up.py.
"""

from collections import OrderedDict
from collections.abc import Hashable
from typing import Generic, TypeVar

Key = TypeVar("Key", bound=Hashable)


class Kept(Generic[Key]):
    """Bytes by key."""

    def __init__(self, max_bytes: int, max_count: int) -> None:
        # A dict finds its oldest key only past the places of all that have left before it.
        self._values: OrderedDict[Key, bytes] = OrderedDict()
        self._max_bytes = max_bytes
        self._max_count = max_count
        self.size_bytes = 0

    def __len__(self) -> int:
        return len(self._values)

    def get(self, key: Key) -> bytes | None:
        """Return what is kept under a key."""
        return self._values.get(key)

    def put(self, key: Key, value: bytes) -> None:
        """Keep it under a new key, unless it alone is larger than all that may be kept."""
        if len(value) > self._max_bytes:
            return
        self._values[key] = value
        self.size_bytes += len(value)
        while self.size_bytes > self._max_bytes or len(self._values) > self._max_count:
            self.size_bytes -= len(self._values.popitem(last=False)[1])

    def clear(self) -> None:
        """Keep nothing."""
        self._values.clear()
        self.size_bytes = 0
