"""Ends of running things by key, forgotten a few at a time once they are over.

Owns the dict and the order in which its keys are visited: a sweep costs its visits and never a full
pass, and one visit per new key keeps the dict below about twice what is running. Knows nothing of
what runs. Used by cooldowns, address budgets and remembered requests.
"""

from collections import deque


class Ends:
    """The moment (ms, on one clock) at which each key's thing is over."""

    __slots__ = ("_round", "at_ms")

    def __init__(self) -> None:
        self.at_ms: dict[str, int] = {}
        """To be read by anyone; a key that is in it may be given a new end here too."""
        self._round: deque[str] = deque()

    def put(self, key: str, end_ms: int) -> None:
        """Set the end of a key, known or new."""
        if key not in self.at_ms:
            self._round.append(key)
        self.at_ms[key] = end_ms

    def drop_one(self) -> str:
        """Forget the key that was not visited for longest, over or not; there must be one."""
        key = self._round.popleft()
        del self.at_ms[key]
        return key

    def sweep(self, visits: int, now_ms: int) -> list[str]:
        """Visit some keys in turn and forget those that are over; returns the forgotten ones."""
        at_ms, visited = self.at_ms, self._round
        forgotten = []
        for _ in range(min(visits, len(visited))):
            key = visited.popleft()
            if at_ms[key] <= now_ms:
                del at_ms[key]
                forgotten.append(key)
            else:
                visited.append(key)
        return forgotten

    def __len__(self) -> int:
        return len(self.at_ms)
