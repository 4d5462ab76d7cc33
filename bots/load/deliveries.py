"""From a placer's send to every follower's frame: how long each of our pixels took to each.

Owns the frames that followers of this process saw of late and when our own placements were sent;
the two are matched by seq once the acks have come, which follow the frames. Bounded by time: what
is older than it is held is forgotten. Called by the members and, every moment, by the worker.
"""

from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray
from tesserae_client.wire import PixelsFrame, decode_pixels

HELD_S = 2.0
"""From a frame's first sight to its matching: its acks come after it, but not so much later."""
REMEMBERED_S = 60.0
"""For a follower that is told so late; its delay is counted all the same."""
MOST_SENDS = 1_000_000


@dataclass(slots=True)
class _Seen:
    """Seqs first…last, and when followers were told of them."""

    first: int
    last: int
    since_s: float
    times_s: list[float] = field(default_factory=list)


class FrameCache:
    """Decodes a frame once for all followers: the server sends all of them the same bytes."""

    __slots__ = ("_frame", "_payload")

    def __init__(self) -> None:
        self._payload = b""
        self._frame: PixelsFrame | None = None

    def decode(self, payload: bytes) -> PixelsFrame:
        """Decode it; raises BadFrame."""
        if self._frame is None or payload != self._payload:
            self._frame = decode_pixels(payload)
            self._payload = payload
        return self._frame


class Deliveries:
    """Matches sends with sights."""

    def __init__(self) -> None:
        self._seen: dict[tuple[int, int], _Seen] = {}
        """In the order of their first sight."""
        self._sent_seqs: deque[int] = deque(maxlen=MOST_SENDS)
        self._sent_at_s: dict[int, float] = {}

    def seen(self, first: int, last: int, now_s: float) -> None:
        """Hear that a follower was told of these seqs, for the first time in its life."""
        seen = self._seen.get((first, last))
        if seen is None:
            seen = self._seen[first, last] = _Seen(first, last, now_s)
        seen.times_s.append(now_s)

    def acked(self, seq: int, sent_at_s: float) -> None:
        """Hear when a placement that is accepted now was sent."""
        if len(self._sent_seqs) == MOST_SENDS:
            self._sent_at_s.pop(self._sent_seqs.popleft(), None)
        self._sent_seqs.append(seq)
        self._sent_at_s[seq] = sent_at_s

    def settled(self, now_s: float, held_s: float = HELD_S) -> Iterator[tuple[float, "Delays"]]:
        """Yield the delays of what was seen so long ago, with the time of its first sight."""
        while self._seen:
            key, seen = next(iter(self._seen.items()))
            if seen.since_s > now_s - held_s:
                break
            del self._seen[key]
            sent = [
                self._sent_at_s[seq]
                for seq in range(seen.first, seen.last + 1)
                if seq in self._sent_at_s
            ]
            if sent:
                yield seen.since_s, np.subtract.outer(seen.times_s, sent).ravel()
        self._forget(now_s - REMEMBERED_S)

    def restart(self) -> None:
        """Forget all: the numbers begin anew."""
        self._seen.clear()
        self._sent_seqs.clear()
        self._sent_at_s.clear()

    def _forget(self, before_s: float) -> None:
        seqs, at_s = self._sent_seqs, self._sent_at_s
        while seqs and at_s.get(seqs[0], before_s) <= before_s:
            at_s.pop(seqs.popleft(), None)


Delays = NDArray[np.float64]
"""Seconds."""
