"""Cutting the server's bytes at frame borders, so that plain frames need no full parser; pure.

Owns the border of frames and nothing of their meaning. Whole, unfragmented text and binary frames
come out as payloads; every other byte (the upgrade, control frames, fragments, pieces of a frame
that is longer than what was read) comes out raw, in order, for the WebSocket library. A small
frame costs a fifth of what the library's parser takes. Called by the line.
"""

from collections.abc import Iterator
from typing import NamedTuple

_TEXT, _BINARY = _PLAIN = 0x81, 0x82
_MASKED = 0x80
_LENGTH_16, _LENGTH_64 = 126, 127
_HEAD_END = b"\r\n\r\n"
_SWITCHING = b"HTTP/1.1 101"
_MAX_HEAD_BYTES = 65_536


class Payload(NamedTuple):
    """One whole message."""

    data: bytes
    text: bool


class Splitter:
    """Fed with every byte of one connection, in order."""

    def __init__(self) -> None:
        self._head: bytes | None = b""
        """The upgrade's answer so far; None once it is over."""
        self._plain = True
        self._owed = 0
        """Bytes of a frame that has begun to come out raw."""
        self._tail = b""
        """A frame's first bytes, too few to tell its length."""

    def feed(self, data: bytes) -> Iterator[Payload | bytes]:
        """Yield what the bytes bring; what the caller does meanwhile is seen by the next piece."""
        if self._head is not None:
            raw, data = self._upgrade(data)
            yield raw
        if not self._plain:
            if data:
                yield data
            return
        if self._owed:
            raw, data = data[: self._owed], data[self._owed :]
            self._owed -= len(raw)
            yield raw
        yield from self._frames(self._tail + data)

    def _upgrade(self, data: bytes) -> tuple[bytes, bytes]:
        """Split the answer to the upgrade from the first frames behind it."""
        head = (self._head or b"") + data
        end = head.find(_HEAD_END)
        if end < 0 and len(head) < _MAX_HEAD_BYTES:
            self._head = head
            return data, b""
        self._head = None
        self._plain = end >= 0 and head.startswith(_SWITCHING)
        behind = len(head) - end - len(_HEAD_END) if self._plain else 0
        return data[: len(data) - behind], data[len(data) - behind :]

    def _frames(self, data: bytes) -> Iterator[Payload | bytes]:
        at, end = 0, len(data)
        while at < end:
            start, size = _measure(data, at)
            if start > end:
                break
            first = data[at]
            if start + size > end:
                self._owed = start + size - end
                self._tail = b""
                yield data[at:]
                return
            if first in _PLAIN and not data[at + 1] & _MASKED:
                yield Payload(data[start : start + size], first == _TEXT)
            else:
                yield data[at : start + size]
            at = start + size
        self._tail = data[at:]


def _measure(data: bytes, at: int) -> tuple[int, int]:
    """Return where the payload starts and its size; the start is past the end if unknown yet."""
    if at + 2 > len(data):
        return len(data) + 1, 0
    size = data[at + 1] & ~_MASKED
    start = at + 2
    if size == _LENGTH_16:
        start = at + 4
        size = int.from_bytes(data[at + 2 : start])
    elif size == _LENGTH_64:
        start = at + 10
        size = int.from_bytes(data[at + 2 : start])
    mask = 4 if data[at + 1] & _MASKED else 0
    return start, size + mask
