"""A client's picture of one game, kept by rule 4 of the protocol and by nothing else.

Fails the test on any hole, on a frame of another generation, on anything within a snapshot, and on
an ack that comes before its pixel. Fed with decoded messages, whatever carried them.
"""

import base64
import zlib
from typing import Any

import numpy as np

from canvas.board import Board
from canvas.packing import pack
from tests.support.wire import Ack, Band, Pixels

NUMBERED = {"resize", "settings"}


class Follower:
    """Where a watcher stands, and what it sees."""

    def __init__(self) -> None:
        self.board: Board | None = None
        self.seq = -1
        self.generation = -1
        self.epoch = ""
        self.snapshots = 0
        self.frames = 0
        self.acked: list[Ack] = []
        self.events: list[dict[str, Any]] = []
        self._bands: dict[str, Any] | None = None
        self._packed = bytearray()
        self.is_lost = False
        """Whether a picture was imported and the snapshot after it has not come."""

    def start_at(self, board: Board, seq: int, generation: int, epoch: str) -> None:
        """Give the client a board from an earlier connection."""
        self.board, self.seq, self.generation, self.epoch = board, seq, generation, epoch

    def take(self, message: dict[str, Any] | Pixels | Band | Ack) -> None:
        """Take the next message."""
        if isinstance(message, dict):
            self._take_event(message)
            return
        self.frames += 1
        if isinstance(message, Pixels):
            self._take_pixels(message)
        elif isinstance(message, Band):
            self._take_band(message)
        else:
            known = self.seq < 0 or self.is_lost or message.seq <= self.seq
            assert known, "an ack before its pixel"
            self.acked.append(message)

    def _take_pixels(self, message: Pixels) -> None:
        assert self._bands is None, "a frame within a snapshot"
        plain = len(message.records) == message.last - message.first + 1
        assert message.conflated or plain, "a plain frame tells every number"
        if message.last <= self.seq or self.is_lost:
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
        elif kind == "pixels":
            self._take_pixels(pixels_of(event))
        elif kind == "band":
            self._take_band(band_of(event))
        elif kind == "base" and event["seq"] > self.seq:
            assert self.is_lost or event["seq"] == self.seq + 1
            self.is_lost = True
        elif kind in NUMBERED and event["seq"] > self.seq and not self.is_lost:
            assert event["seq"] == self.seq + 1
            self.seq = event["seq"]
            if kind == "resize":
                self._grow(event)

    def _grow(self, event: dict[str, Any]) -> None:
        assert self.board is not None
        cells = np.full((event["height"], event["width"]), 15, dtype=np.uint8)
        rows = slice(event["shiftY"], event["shiftY"] + self.board.height)
        columns = slice(event["shiftX"], event["shiftX"] + self.board.width)
        cells[rows, columns] = self.board.colors()
        grown = Board.from_packed(event["width"], event["height"], pack(cells.ravel()))
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
            self.is_lost = False
            self.snapshots += 1


def pixels_of(event: dict[str, Any]) -> Pixels:
    """The JSON event `pixels` as the frame that it stands for; its channel is not told."""
    records = [x | y << 13 | color << 26 for x, y, color in event["pixels"]]
    conflated = event.get("conflated", False)
    return Pixels(conflated, 0, event["generation"], event["first"], event["last"], records)


def band_of(event: dict[str, Any]) -> Band:
    """The JSON event `band` as the frame that it stands for."""
    payload = base64.b64decode(event["data"], validate=True)
    place = (event["generation"], event["seq"], event["firstRow"], event["rows"])
    return Band(event["encoding"] == "deflate-raw", 0, *place, payload=payload)
