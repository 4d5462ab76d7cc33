"""WebSocket framing for what the server sends: unmasked, unfragmented, never compressed.

Owns the few bytes in front of a payload, so that one frame can be built once and written to any
number of sockets. Never parses and never closes; the transport does. Called by the codecs.
"""

from struct import Struct

PING_FRAME = b"\x89\x00"

_TEXT = 0x81
_BINARY = 0x82
_MEDIUM = 126
_LARGE = 1 << 16
_short_head = Struct("!BB").pack
_medium_head = Struct("!BBH").pack
_large_head = Struct("!BBQ").pack


def text_frame(payload: bytes) -> bytes:
    """Frame UTF-8 text."""
    return _head(_TEXT, len(payload)) + payload


def binary_frame(payload: bytes) -> bytes:
    """Frame bytes."""
    return _head(_BINARY, len(payload)) + payload


def _head(first_byte: int, size_bytes: int) -> bytes:
    if size_bytes < _MEDIUM:
        return _short_head(first_byte, size_bytes)
    if size_bytes < _LARGE:
        return _medium_head(first_byte, _MEDIUM, size_bytes)
    return _large_head(first_byte, _MEDIUM + 1, size_bytes)
