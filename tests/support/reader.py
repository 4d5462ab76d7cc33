"""A connection with a client behind it that follows the protocol, on fakes: no sockets, no loop.

The client keeps a board by rule 4 of the protocol and fails the test on any hole, on a frame of
another generation, and on an ack that comes before its pixel's frame.
"""

import zlib
from collections.abc import Sequence
from typing import Any

import numpy as np
import orjson

from canvas.board import Board
from server.wire.binary_v1 import BINARY_V1
from server.wire.codec import Codec
from tests.support.connections import FakeConnection
from tests.support.wire import Ack, Band, Pixels, decode_binary, split_frames

TEXT = 1


class Reader(FakeConnection):
    """Takes up to `room` bytes, then is full until `drain`; tells the hub as a session does."""

    def __init__(self, hub: Any, *, codec: Codec = BINARY_V1, room: int = 1 << 40) -> None:
        super().__init__(f"r{id(self)}", codec=codec)
        self.hub = hub
        self.room = room
        self.unsent = 0
        self.board: Board | None = None
        self.seq = -1
        self.generation = -1
        self.epoch = ""
        self.snapshots = 0
        self.frames = 0
        self.received_bytes = 0
        self.acked: list[Ack] = []
        self.events: list[dict[str, Any]] = []
        self._bands: dict[str, Any] | None = None
        self._packed = bytearray()

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
            if frame.opcode == TEXT:
                self._take_event(orjson.loads(frame.payload))
            else:
                self._take_binary(decode_binary(frame.payload))

    def start_at(self, board: Board, seq: int, generation: int, epoch: str) -> None:
        """Give the client a board from an earlier connection."""
        self.board, self.seq, self.generation, self.epoch = board, seq, generation, epoch

    def _take_binary(self, message: Any) -> None:
        self.frames += 1
        if isinstance(message, Pixels):
            self._take_pixels(message)
        elif isinstance(message, Ack):
            assert self.seq < 0 or message.seq <= self.seq, "an ack before its pixel"
            self.acked.append(message)
        elif isinstance(message, Band):
            self._take_band(message)

    def _take_pixels(self, message: Pixels) -> None:
        assert self._bands is None, "a frame within a snapshot"
        if message.last <= self.seq:
            return
        assert message.first <= self.seq + 1, f"a hole: at {self.seq}, got {message.first}"
        assert message.generation == self.generation
        assert self.board is not None
        self.board.apply_records(np.array(message.records, dtype="<u4"))
        self.seq = message.last

    def _take_event(self, event: dict[str, Any]) -> None:
        self.events.append(event)
        kind = event.get("event")
        if kind == "snapshot" and "bands" in event:
            self._bands = event
            self._packed = bytearray()
        elif kind in {"resize", "settings"} and event["seq"] > self.seq:
            assert event["seq"] == self.seq + 1
            self.seq = event["seq"]
            if kind == "resize":
                self._grow(event)

    def _grow(self, event: dict[str, Any]) -> None:
        assert self.board is not None
        grown = Board(event["width"], event["height"])
        for y in range(self.board.height):
            for x in range(self.board.width):
                grown.set(x + event["shiftX"], y + event["shiftY"], self.board.get(x, y))
        self.board, self.generation = grown, event["generation"]

    def _take_band(self, band: Band) -> None:
        assert self._bands is not None, "a band without a snapshot"
        raw = zlib.decompress(band.payload, -15) if band.deflated else band.payload
        self._packed += raw
        self._bands["bands"] -= 1
        if self._bands["bands"] == 0:
            head, self._bands = self._bands, None
            assert len(self._packed) == head["bytes"]
            self.board = Board.from_packed(head["width"], head["height"], bytes(self._packed))
            self.seq, self.generation = head["seq"], head["generation"]
            self.epoch = head["epoch"]
            self.snapshots += 1
