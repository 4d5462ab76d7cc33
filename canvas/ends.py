"""Ends of running things by key, forgotten a few at a time once they are over.

Owns the dict and the order in which its keys are visited: a sweep costs its visits and never a full
pass, and one visit per new key keeps the dict below about twice what is running. So a sweep visits
as many as are new, unless it is told how many; nothing new costs nothing. Knows nothing of what
runs. Used by cooldowns, address budgets and remembered requests.
"""

from collections import deque


class Ends:
    """The moment (ms, on one clock) at which each key's thing is over."""

    __slots__ = ("_new", "_round", "at_ms")

    def __init__(self) -> None:
        self.at_ms: dict[str, int] = {}
        """To be read by anyone; a key that is in it may be given a new end here too."""
        self._round: deque[str] = deque()
        self._new = 0

    def put(self, key: str, end_ms: int) -> None:
        """Set the end of a key, known or new."""
        if key not in self.at_ms:
            self._round.append(key)
            self._new += 1
        self.at_ms[key] = end_ms

    def drop_one(self) -> str:
        """Forget the key that was not visited for longest, over or not; there must be one."""
        key = self._round.popleft()
        del self.at_ms[key]
        return key

    def sweep(self, now_ms: int, visits: int | None = None) -> list[str]:
        """Visit some keys in turn and forget those that are over; returns the forgotten ones.

        Without a number of visits as many as came since the last sweep.
        """
        at_ms, visited = self.at_ms, self._round
        forgotten = []
        visits = min(self._new if visits is None else visits, len(visited))
        self._new = max(0, self._new - visits)
        for _ in range(visits):
            key = visited.popleft()
            if at_ms[key] <= now_ms:
                del at_ms[key]
                forgotten.append(key)
            else:
                visited.append(key)
        return forgotten

    def __len__(self) -> int:
        return len(self.at_ms)
