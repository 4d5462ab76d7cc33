"""How often somebody may choose another name: a few times an hour, by identity.

Owns the moments of the newest renames and nothing else; bounded, the one who renamed longest ago is
forgotten first. Time comes from a monotonic clock in integer milliseconds. Called by the command
`rename`.
"""

from collections import OrderedDict

from server.access.limits import MonotonicMs

MOST = 5
WINDOW_MS = 3_600_000
MAX_KEPT = 20_000
"""Identities; so many guests renaming within an hour are a farm, whose newest ones count."""


class RenameLimit:
    """Counts renames."""

    def __init__(self, monotonic_ms: MonotonicMs, max_kept: int = MAX_KEPT) -> None:
        self._monotonic_ms = monotonic_ms
        self._max_kept = max_kept
        self._moments: OrderedDict[str, list[int]] = OrderedDict()
        """By identity, oldest first; identities in the order of their newest rename."""

    def take(self, user_id: str) -> int:
        """Count one more rename and return 0, or count nothing and return the ms to wait."""
        now_ms = self._monotonic_ms()
        self._forget_expired(now_ms)
        recent = [at for at in self._moments.get(user_id, ()) if at > now_ms - WINDOW_MS]
        if len(recent) >= MOST:
            return recent[0] + WINDOW_MS - now_ms
        self._moments[user_id] = [*recent, now_ms]
        self._moments.move_to_end(user_id)
        return 0

    def _forget_expired(self, now_ms: int) -> None:
        while self._moments:
            moments = next(iter(self._moments.values()))
            if moments[-1] > now_ms - WINDOW_MS and len(self._moments) < self._max_kept:
                return
            self._moments.popitem(last=False)
