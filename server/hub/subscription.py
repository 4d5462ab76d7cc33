"""One connection's place in one game's stream.

A subscription is in step (`LIVE`: gets every flush), behind (`LAGGING`: the kernel has not taken
what was written) or paced (`PACED`: asked for merged frames at an interval). Owned by the hub.
"""

from collections.abc import Callable
from dataclasses import dataclass
from enum import Enum

from server.asking import Position, Resume, SnapshotMode
from server.hub.delivery import Delivery
from server.ports import Connection
from server.replica.snapshots import Snapshot


class Pace(Enum):
    """How a subscription gets its frames."""

    LIVE = 1
    LAGGING = 2
    PACED = 3


@dataclass(frozen=True, slots=True)
class Prepared:
    """Everything that had to be awaited before a subscription can start in one turn."""

    game: str
    since: Position | None
    mode: SnapshotMode
    snapshot: Snapshot | None
    """Encoded ahead when it will be needed inline."""
    decide: Callable[["Prepared"], Resume]

    @property
    def resume(self) -> Resume:
        """How a subscription that begins in this very turn is brought to the present."""
        return self.decide(self)


@dataclass(slots=True, eq=False)
class Subscription:
    """One connection watching one game."""

    connection: Connection
    game: str
    pace: Pace
    interval_ms: int = 0
    seq: int = 0
    """Newest seq handed to the transport; kept up only while not LIVE."""
    due_ms: int = 0
    """When a paced one may be sent to again."""
    behind_since_ms: int = 0
    """Since when it lags without any sign of catching up."""
    unsent_bytes: int = 0
    """What was left to be taken when it had last moved enough."""
    most_unsent_bytes: int = 0
    """The most that was left since it was last in step."""
    snapshots_in_a_row: int = 0
    """Snapshots sent since it was last in step; the first one may drain as slowly as it likes."""
    delivery: Delivery | None = None
    """The snapshot of which it has not got all bands."""

    def deliver(self, snapshot: Snapshot) -> None:
        """Begin to bring it a snapshot; the stream goes on from there."""
        self.seq = snapshot.seq
        self.snapshots_in_a_row += 1
        self.delivery = Delivery(snapshot)

    def left_bytes(self) -> int:
        """Bytes that the kernel is still to take before it can be caught up."""
        waiting_bytes = 0 if self.delivery is None else self.delivery.left_bytes()
        return self.connection.buffered_bytes() + waiting_bytes

    def forgive(self, stalled_ms: int, now_ms: int) -> None:
        """Hold a time in which nobody here could see it drain against nobody."""
        self.behind_since_ms = min(now_ms, self.behind_since_ms + stalled_ms)

    def note_unsent(self, unsent_bytes: int) -> int:
        """Note what is left to be taken; returns by how much it has moved."""
        self.most_unsent_bytes = max(self.most_unsent_bytes, unsent_bytes)
        # What was written since is no lack of progress.
        self.unsent_bytes = max(self.unsent_bytes, unsent_bytes)
        return self.unsent_bytes - unsent_bytes
