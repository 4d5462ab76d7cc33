"""What goes out to connections, counted by kind: plain numbers, because a library's counter locks.

Owns the kinds. Counted where frames are handed to a transport, in one addition for all who get the
same frame; read by metrics.py when it is asked. It never looks into a frame.
"""

from collections.abc import Sequence


class Flow:
    """What was handed over of one kind."""

    __slots__ = ("deliveries", "size_bytes")

    def __init__(self) -> None:
        self.deliveries = 0
        """Times that something was handed to one connection."""
        self.size_bytes = 0

    def add(self, size_bytes: int, deliveries: int = 1) -> None:
        """Count the same bytes handed to so many connections."""
        self.deliveries += deliveries
        self.size_bytes += size_bytes * deliveries

    def add_all(self, frames: Sequence[bytes]) -> None:
        """Count several frames handed to one connection, each by itself."""
        self.deliveries += len(frames)
        self.size_bytes += sum(map(len, frames))


class Traffic:
    """Everything that one server hands to its connections."""

    __slots__ = (
        "acks",
        "catch_ups",
        "catch_ups_encoded",
        "events",
        "pixels",
        "presence",
        "replies",
        "snapshots",
        "snapshots_delivered",
        "snapshots_encoded",
    )

    def __init__(self) -> None:
        self.pixels = Flow()
        """Publications, to everybody in step."""
        self.catch_ups = Flow()
        """Merged frames, to whoever resumes, was slow or has a pace of its own."""
        self.catch_ups_encoded = 0
        """Those of them that were made; the rest were shared."""
        self.snapshots = Flow()
        """Frames of boards, each by itself."""
        self.snapshots_delivered = 0
        """Boards that a reader was handed whole."""
        self.snapshots_encoded = 0
        """Boards that were encoded; one serves any number of readers."""
        self.acks = Flow()
        """Answers to placements, refusals included."""
        self.replies = Flow()
        """Answers to commands."""
        self.presence = Flow()
        """Who is here, and how many watch."""
        self.events = Flow()
        """Greetings, hints and errors."""

    def flows(self) -> dict[str, Flow]:
        """All kinds, by the name that metrics show."""
        return {
            "pixels": self.pixels,
            "catch-up": self.catch_ups,
            "snapshot": self.snapshots,
            "ack": self.acks,
            "reply": self.replies,
            "presence": self.presence,
            "event": self.events,
        }
