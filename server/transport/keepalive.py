"""Keepalive: pings for the silent, an end for the dead, with no timer and no task of their own.

Owns when a connection was last known to live: bytes came from it or drained to it. Decides by the
`now` it is handed; the listener turns it with the one timer of all connections. No turn walks more
than `SLICE` of them, so that thousands do not hold the loop.
"""

from collections.abc import Collection
from typing import Protocol

from server.wire.codes import CloseCode
from server.wire.frames import PING_FRAME

SLICE = 500
SLICE_GAP_MS = 5
STEPS_PER_PING = 10
MAX_STEP_MS = 1_000
SILENT_PINGS = 2
MAX_ODD_FRAMES = 250
"""Between two rounds. They cost the peer no credits, so this is where a flood of them ends."""
FLOOD_RETRY_MS = 30_000


class Pulse:
    """What the keepalive knows of one connection."""

    __slots__ = ("alive_ms", "buffered_bytes", "heard", "ping_at_ms")

    def __init__(self, now_ms: int, ping_ms: int) -> None:
        self.heard = False
        """Set by the connection whenever bytes come: a flag, since reading a clock costs more."""
        self.alive_ms = now_ms
        self.ping_at_ms = now_ms + ping_ms
        self.buffered_bytes = 0


class Kept(Protocol):
    """What the keepalive asks of a connection."""

    pulse: Pulse
    writable: bool
    closing: bool
    close_by_ms: int

    @property
    def held(self) -> bool:
        """Whether we ourselves have stopped reading it, so that its silence says nothing."""
        ...

    def buffered_bytes(self) -> int:
        """Tell how much waits here for the kernel to take."""
        ...

    def take_odd_frames(self) -> int:
        """Return how many pings, pongs and fragments came since it was asked last."""
        ...

    def write(self, frame: bytes) -> None:
        """Send a frame."""
        ...

    def close(self, code: CloseCode, reason: str, retry_after_ms: int | None = None) -> None:
        """Begin to close."""
        ...

    def abort(self) -> None:
        """End it now."""
        ...


class Keepalive:
    """Walks all connections, round after round."""

    def __init__(self, live: Collection[Kept], ping_ms: int) -> None:
        self._live = live
        self._ping_ms = ping_ms
        self._step_ms = min(max(1, ping_ms // STEPS_PER_PING), MAX_STEP_MS)
        self._left: list[Kept] = []
        self._turned_ms = 0
        self._awake_ms = 0
        """When this process last came back from a stall of its own, which heard nobody."""

    def turn(self, now_ms: int) -> int:
        """Look at the next slice; returns the milliseconds until the next turn."""
        if now_ms - self._turned_ms >= self._ping_ms:
            self._awake_ms = now_ms
        self._turned_ms = now_ms
        if not self._left:
            self._left = list(self._live)
        connections = self._left[-SLICE:]
        del self._left[-SLICE:]
        for connection in connections:
            self._look_at(connection, now_ms)
        return SLICE_GAP_MS if self._left else self._step_ms

    def _look_at(self, connection: Kept, now_ms: int) -> None:
        if connection.closing:
            if now_ms >= connection.close_by_ms:
                connection.abort()
            return
        if connection.take_odd_frames() > MAX_ODD_FRAMES:
            connection.close(CloseCode.RATE, "too many pings or fragments", FLOOD_RETRY_MS)
            return
        self._take_pulse(connection, now_ms)
        self._ping_or_end(connection, now_ms)

    def _take_pulse(self, connection: Kept, now_ms: int) -> None:
        pulse, before = connection.pulse, connection.pulse.buffered_bytes
        pulse.buffered_bytes = connection.buffered_bytes()
        if pulse.heard:
            pulse.ping_at_ms = now_ms + self._ping_ms - self._step_ms
        if pulse.heard or connection.held or pulse.buffered_bytes < before:
            pulse.alive_ms = now_ms
        pulse.heard = False

    def _ping_or_end(self, connection: Kept, now_ms: int) -> None:
        pulse = connection.pulse
        silent_since_ms = max(pulse.alive_ms, self._awake_ms)
        if now_ms - silent_since_ms >= SILENT_PINGS * self._ping_ms:
            connection.close(CloseCode.SLOW, "nothing came from you and nothing drained to you")
            # Who has not read for two periods is not waited for once more.
            connection.close_by_ms = now_ms
        elif now_ms >= pulse.ping_at_ms and connection.writable:
            pulse.ping_at_ms = now_ms + self._ping_ms
            connection.write(PING_FRAME)
