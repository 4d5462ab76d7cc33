"""What all clients of one process have in common, and what one of them heard of a line's end.

Owns these two values. Called by followers and members.
"""

from dataclasses import dataclass, field

from bots.load.deliveries import Deliveries, FrameCache
from bots.load.tally import Tally


@dataclass(slots=True)
class Farewell:
    """What the server said about the end of a line before it came."""

    code: int | None = None
    reason: str = ""
    retry_after_ms: int = 0
    joined: bool = False
    final: bool = False
    """There is no use in coming back."""


@dataclass(slots=True)
class Shared:
    """One for each process."""

    game: str
    tally: Tally
    deliveries: Deliveries = field(default_factory=Deliveries)
    frames: FrameCache = field(default_factory=FrameCache)
    newest_seq: int = 0
    """That anybody here was told of."""
    epoch: str = ""

    def told(self, seq: int) -> None:
        """Hear of a published seq."""
        self.newest_seq = max(self.newest_seq, seq)

    def begun(self, epoch: str) -> None:
        """Hear of the history that a client joined; another one begins its numbers anew."""
        if self.epoch not in {"", epoch}:
            self.deliveries.restart()
            self.newest_seq = 0
        self.epoch = epoch
