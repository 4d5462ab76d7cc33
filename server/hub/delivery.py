"""A delivery: one snapshot on its way to one reader, at the pace at which its socket drains.

Owns how far it has come. A large board is never put into a transport as a whole: who reads slowly
holds on to bands that all share, not to a board of its own. Between the snapshot event and the last
band nothing else of the game is written; that is the channel's to keep.
"""

import asyncio

from server.ports import Connection
from server.replica.snapshots import Snapshot
from server.telemetry.traffic import Flow


class Delivery:
    """The frames of a snapshot that a connection has still to get."""

    __slots__ = ("_at", "_ended", "_snapshot")

    def __init__(self, snapshot: Snapshot) -> None:
        self._snapshot = snapshot
        self._at = 0
        self._ended: asyncio.Event | None = None

    def go_on(self, connection: Connection, flow: Flow) -> bool:
        """Write frames until the socket is full; returns whether all are written and it is not."""
        while connection.writable and not connection.closing:
            frame = self._snapshot.frame(connection.codec, self._at)
            if frame is None:
                self.end()
                return True
            self._at += 1
            flow.add(len(frame))
            connection.write(frame)
        return False

    def left_bytes(self) -> int:
        """Payload that has not been written yet."""
        return self._snapshot.payload_bytes(self._at)

    def end(self) -> None:
        """Let those go on, in a later turn, who wait: it is written, or not wanted any more."""
        if self._ended is not None:
            self._ended.set()

    async def ended(self) -> None:
        """Wait until it is written, or not wanted any more."""
        if self._ended is None:
            self._ended = asyncio.Event()
        await self._ended.wait()
