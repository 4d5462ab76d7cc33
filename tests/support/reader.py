"""A connection with a client behind it that follows the protocol, on fakes: no sockets, no loop."""

from collections.abc import Sequence
from typing import Any

import orjson

from server.wire.binary_v1 import BINARY_V1
from server.wire.codec import Codec
from tests.support.connections import FakeConnection
from tests.support.follower import Follower
from tests.support.wire import decode_binary, split_frames

TEXT = 1


class Reader(FakeConnection, Follower):
    """Takes up to `room` bytes, then is full until `drain`; tells the hub as a session does."""

    def __init__(self, hub: Any, *, codec: Codec = BINARY_V1, room: int = 1 << 40) -> None:
        FakeConnection.__init__(self, f"r{id(self)}", codec=codec)
        Follower.__init__(self)
        self.hub = hub
        self.room = room
        self.unsent = 0
        self.received_bytes = 0

    def buffered_bytes(self) -> int:
        return self.unsent

    def write(self, frame: bytes) -> None:
        if self.closing:
            return
        super().write(frame)
        self.unsent += len(frame)
        if self.writable and self.unsent > self.room:
            self.writable = False
            self.hub.pause(self)

    def writelines(self, frames: Sequence[bytes]) -> None:
        self.write(b"".join(frames))

    def drain(self, upto: int | None = None) -> None:
        """Let the kernel take everything, and the client read it."""
        self.unsent = 0
        self.read()
        if not self.writable:
            self.writable = True
            self.hub.resume(self)

    def read(self) -> None:
        """Let the client read what was written so far."""
        data = b"".join(self.written)
        self.written.clear()
        self.received_bytes += len(data)
        for frame in split_frames(data):
            text = frame.opcode == TEXT
            self.take(orjson.loads(frame.payload) if text else decode_binary(frame.payload))
