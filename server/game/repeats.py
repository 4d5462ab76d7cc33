"""Re-sent placements that wait for their first outcome to be published.

Owns who is to be answered with which seq. While the store is away clients come back and re-send
again and again, so that whoever has hung up is forgotten before they are many. Called by the game.
"""

from collections.abc import Sequence
from typing import NamedTuple

from server.asking import Asker

FIRST_SWEEP = 1024


class Repeat(NamedTuple):
    """Who asked again, and what comes back with the answer."""

    asker: Asker
    tag: object


class Repeats:
    """By seq; at most about twice as many as those whose connections are open."""

    def __init__(self) -> None:
        self._of_seq: dict[int, list[Repeat]] = {}
        self._count = 0
        self._sweep_at = FIRST_SWEEP

    def __len__(self) -> int:
        return self._count

    def add(self, seq: int, asker: Asker, tag: object) -> None:
        """Note one more who waits for a seq."""
        self._of_seq.setdefault(seq, []).append(Repeat(asker, tag))
        self._count += 1
        if self._count >= self._sweep_at:
            self._forget_closed()

    def take(self, seq: int) -> Sequence[Repeat]:
        """Give those who waited for a seq, and forget them."""
        waiting = self._of_seq.pop(seq, ())
        self._count -= len(waiting)
        return waiting

    def _forget_closed(self) -> None:
        open_ones = {
            seq: [repeat for repeat in waiting if not repeat.asker.gone]
            for seq, waiting in self._of_seq.items()
        }
        self._of_seq = {seq: waiting for seq, waiting in open_ones.items() if waiting}
        self._count = sum(map(len, self._of_seq.values()))
        self._sweep_at = max(FIRST_SWEEP, 2 * self._count)
