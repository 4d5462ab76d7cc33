"""What a session asks of games and of the hub, and what it is told back.

Owns the shapes alone, no behaviour, so that neither side imports the other. `Asker` is kept by
placing.py and called by the game (refusals, at once) and by the hub's flush (what was published).
"""

from typing import Literal, NamedTuple, Protocol

from canvas.events import PixelPlaced
from canvas.placement import Placement
from canvas.refusals import Refusal
from server.ports import Connection

Resume = Literal["current", "events", "snapshot"]
"""How a watcher is brought to the present: it is there, by events, or by a whole board."""

SnapshotMode = Literal["inline", "http", "none"]
"""How a watcher wants a board: in bands, by a link, or not at all."""


class Position(NamedTuple):
    """A place in a game's stream; a seq means nothing outside its epoch."""

    epoch: str
    seq: int


class Asker(Protocol):
    """Whoever submitted a placement and waits for its outcome."""

    @property
    def connection(self) -> Connection | None:
        """Where the answer goes; its acks are written within a tick, watching or not.

        None: `accepted` is all that there is to do.
        """
        ...

    @property
    def gone(self) -> bool:
        """Whether nobody waits for the outcome any more."""
        ...

    def accepted(self, event: PixelPlaced, tag: object) -> None:
        """Take the outcome of an accepted placement: committed and published.

        Called before the tick's write of the connection. A re-sent placement brings the event
        of its first outcome, which may be of an older generation.
        """
        ...

    def refused(self, refusal: Refusal, placement: Placement, tag: object) -> None:
        """Take a refusal; called at once, inside `submit`."""
        ...
