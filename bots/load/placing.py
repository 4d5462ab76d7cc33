"""What one placer has sent and not heard of; request numbers, re-sending after a cut; pure.

Owns the unanswered placements of one client, never its socket. A cut leaves them unknown; sent
again under the same number they get their first outcome, for as many as the server remembers.
Called by the placer.
"""

from collections.abc import Iterator
from random import Random

from tesserae_client.wire import encode_place

MOST_UNANSWERED = 64
"""A placer with more holds its sends back, and that is counted."""
REMEMBERED = 16
"""Accepted placements of a user that the server remembers."""

Sent = tuple[float, bytes]
"""When, and the frame."""


class Placing:
    """The unanswered placements, oldest first."""

    __slots__ = ("_rng", "_sent")

    def __init__(self, rng: Random) -> None:
        self._rng = rng
        self._sent: dict[int, Sent] = {}

    @property
    def unanswered(self) -> int:
        """How many are."""
        return len(self._sent)

    @property
    def full(self) -> bool:
        """No more may be sent until some are answered."""
        return len(self._sent) >= MOST_UNANSWERED

    def place(self, channel: int, generation: int, record: int, now_s: float) -> bytes:
        """Build the frame of a new placement."""
        while (request := self._rng.getrandbits(32)) in self._sent:
            pass
        frame = encode_place(channel, request, generation, (record,))
        self._sent[request] = (now_s, frame)
        return frame

    def answered(self, request: int) -> float | None:
        """Return when it was sent first; None for what nobody waits for."""
        sent = self._sent.pop(request, None)
        return None if sent is None else sent[0]

    def forget_old(self) -> int:
        """Give up what cannot be settled after a cut; returns how many."""
        old = list(self._sent)[:-REMEMBERED]
        for request in old:
            del self._sent[request]
        return len(old)

    def again(self) -> Iterator[bytes]:
        """Yield the frames to send again, oldest first."""
        for _, frame in self._sent.values():
            yield frame
