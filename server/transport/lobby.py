"""The lobby: connections that are not yet, or no longer, anybody's, and how long they may stay.

Bounds their number and their time with one sweep, in the order in which they came, so that neither
slow requests nor refused clients that do not hang up can hold the server's sockets. Called by the
doors; swept by the listener's timer.
"""

from typing import Protocol


class Waiting(Protocol):
    """Who stands in the lobby."""

    def expire(self) -> None:
        """Leave now: time is up, or somebody else needs the place."""
        ...


class Lobby:
    """Who waits, the one who came first at the head."""

    def __init__(self, capacity: int, timeout_ms: int) -> None:
        self._capacity = capacity
        self._timeout_ms = timeout_ms
        self._since_ms: dict[Waiting, int] = {}

    def __len__(self) -> int:
        return len(self._since_ms)

    def enter(self, door: Waiting, now_ms: int) -> None:
        """Let one in; when it is full the longest waiting one goes: an honest request is quick."""
        if len(self._since_ms) >= self._capacity:
            self._expire(next(iter(self._since_ms)))
        self._since_ms[door] = now_ms

    def leave(self, door: Waiting) -> None:
        """Let one go on; harmless when it has left."""
        self._since_ms.pop(door, None)

    def sweep(self, now_ms: int) -> None:
        """Expire everyone whose time is up."""
        latest_ms = now_ms - self._timeout_ms
        expired = []
        for door, since_ms in self._since_ms.items():
            if since_ms > latest_ms:
                break
            expired.append(door)
        for door in expired:
            self._expire(door)

    def clear(self) -> None:
        """Expire everyone."""
        for door in list(self._since_ms):
            self._expire(door)

    def _expire(self, door: Waiting) -> None:
        self.leave(door)
        door.expire()
