"""Readers that asked for a pace of their own, by when each is due.

Owns their order, so that a flush costs those who are due and not all of them. Knows no clock and
sends nothing: the channel takes who is due, brings them to the present and adds them again.
"""

import heapq
from itertools import count

from server.hub.subscription import Subscription
from server.ports import Connection

STALE_AT_LEAST = 64


class Paces:
    """The paced readers of one game."""

    def __init__(self) -> None:
        self._numbers_of: dict[Connection, int] = {}
        """The one entry of each reader that counts; others in the heap are passed over."""
        self._waiting: dict[int, Subscription] = {}
        """By those numbers: what the heap alone knows is of nobody who has gone."""
        self._heap: list[tuple[int, int]] = []
        self._resting: dict[Connection, Subscription] = {}
        """Due, with nothing to be told yet: all of them at `_rested_at`."""
        self._rested_at = 0
        self._numbers = count()

    def __len__(self) -> int:
        return len(self._waiting)

    def add(self, subscription: Subscription) -> None:
        """Wait for its `due_ms`; takes the place of what was waited for before."""
        connection = subscription.connection
        self.discard(connection)
        number = self._numbers_of[connection] = next(self._numbers)
        self._waiting[number] = subscription
        heapq.heappush(self._heap, (subscription.due_ms, number))

    def discard(self, connection: Connection) -> None:
        """Wait for it no more, if it is here."""
        number = self._numbers_of.pop(connection, None)
        if number is not None:
            del self._waiting[number]
            self._resting.pop(connection, None)
            # Whoever changes a long pace again and again must not fill the heap.
            if len(self._heap) > 2 * len(self._waiting) + STALE_AT_LEAST:
                self._heap = [entry for entry in self._heap if entry[1] in self._waiting]
                heapq.heapify(self._heap)

    def take_due(self, now_ms: int, seq: int) -> list[Subscription]:
        """Return whose time has come and who have not been told `seq`; the caller adds them anew.

        Who is due but has been told it rests until there is a newer one.
        """
        due: list[Subscription] = []
        if seq != self._rested_at:
            due.extend(self._resting.values())
            self._resting.clear()
            self._rested_at = seq
        for subscription in self._take_ripe(now_ms):
            if subscription.seq < seq:
                due.append(subscription)
            else:
                self._resting[subscription.connection] = subscription
        return due

    def _take_ripe(self, now_ms: int) -> list[Subscription]:
        ripe = []
        while self._heap and self._heap[0][0] <= now_ms:
            subscription = self._waiting.get(heapq.heappop(self._heap)[1])
            if subscription is not None:
                ripe.append(subscription)
        return ripe

    def next_due_ms(self) -> int | None:
        """When to take the next one; None while all rest."""
        while self._heap and self._heap[0][1] not in self._waiting:
            heapq.heappop(self._heap)
        return self._heap[0][0] if self._heap else None
