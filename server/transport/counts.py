"""What a listener counts: bytes and messages that came, how connections ended, who was turned away.

Plain numbers, written by the listener's doors and connections, read when somebody asks. Decides
nothing.
"""

from collections import Counter
from enum import StrEnum

from server.wire.codes import CloseCode


class Turned(StrEnum):
    """Why somebody came no further than the door."""

    RATE = "rate"
    """More handshakes in a second than the server takes."""
    ORIGIN = "origin"
    """A page of a host that is not allowed."""
    HANDSHAKE = "handshake"
    """It asked for a WebSocket in a way that makes none."""
    HEAD = "head"
    """What it said is no HTTP, or too long."""
    SLOW = "slow"
    """It did not say what it wants in time, or while others needed the place."""
    PLAIN = "plain"
    """It spoke without TLS where TLS is spoken."""


BY_CLIENT = "client"
LOST = "lost"
"""Ends that have no code of ours: the client closed, or was gone without a word."""


class TransportCounts:
    """The numbers of one listener."""

    __slots__ = ("binaries", "closed", "received_bytes", "texts", "turned")

    def __init__(self) -> None:
        self.received_bytes = 0
        self.texts = 0
        """Text messages that were delivered: commands."""
        self.binaries = 0
        """Binary ones: placements."""
        ends = [*(str(code.value) for code in CloseCode), BY_CLIENT, LOST]
        self.closed = Counter(dict.fromkeys(ends, 0))
        """Ends of WebSockets by our close code, or `BY_CLIENT` or `LOST`."""
        self.turned: Counter[str] = Counter(dict.fromkeys(Turned, 0))
        """Those who came no further than the door, by `Turned`."""
