"""Frames of clients, and a naive reader of them: one pass over the whole stream, no shortcuts."""

import struct
from typing import NamedTuple


def client_frame(
    opcode: int,
    payload: bytes = b"",
    *,
    fin: bool = True,
    mask: int = 0x01020304,
    reserved: int = 0,
    masked: bool = True,
) -> bytes:
    """Build a frame as a client sends it, or as it must not."""
    size = len(payload)
    bit = 0x80 if masked else 0
    if size < 126:
        length = bytes([bit | size])
    elif size < 65536:
        length = struct.pack("!BH", bit | 126, size)
    else:
        length = struct.pack("!BQ", bit | 127, size)
    first = bytes([(0x80 if fin else 0) | reserved << 4 | opcode])
    if not masked:
        return first + length + payload
    key = mask.to_bytes(4, "big")
    return first + length + key + _xor(payload, key)


class Reading(NamedTuple):
    """What a stream of frames says."""

    messages: list[tuple[bool, bytes]]
    pongs: list[bytes]
    end: int | None
    """The close code that it ends with, 0 for the client's own close, None while it goes on."""


class _RefusedError(Exception):
    """Carries the close code."""


def read_naively(stream: bytes, max_bytes: int) -> Reading:
    """Read whole frames until the stream ends, or is ended."""
    messages: list[tuple[bool, bytes]] = []
    pongs: list[bytes] = []
    try:
        _read_all(stream, max_bytes, messages, pongs)
    except _RefusedError as refused:
        return Reading(messages, pongs, refused.args[0])
    return Reading(messages, pongs, None)


def _read_all(
    stream: bytes, max_bytes: int, messages: list[tuple[bool, bytes]], pongs: list[bytes]
) -> None:
    parts: list[bytes] = []
    kind = 0
    while True:
        frame = _next(stream, max_bytes, max_bytes - sum(map(len, parts)))
        if frame is None:
            return
        fin, opcode, payload, stream = frame
        if opcode == 8:
            raise _RefusedError(_close(payload, open_message=kind != 0))
        if opcode == 9:
            pongs.append(payload)
        if opcode > 2:
            continue
        if (opcode == 0) != (kind != 0):
            raise _RefusedError(4404)
        parts.append(payload)
        kind = opcode or kind
        if fin:
            messages.append((kind == 1, b"".join(parts)))
            if kind == 1 and not _is_utf8(messages[-1][1]):
                messages.pop()
                raise _RefusedError(4404)
            parts, kind = [], 0


def _next(stream: bytes, max_bytes: int, room: int) -> tuple[bool, int, bytes, bytes] | None:
    if len(stream) < 2:
        return None
    size, start = stream[1] & 0x7F, 2
    if size > 125:
        start = 4 if size == 126 else 10
        if len(stream) < start:
            return None
        size = int.from_bytes(stream[2:start], "big")
    masked = stream[1] >= 0x80
    if masked and size <= max_bytes and len(stream) < start + 4 + size:
        return None
    if not masked or stream[0] & 0x0F not in {0, 1, 2, 8, 9, 10}:
        raise _RefusedError(4404)
    if size > room:
        raise _RefusedError(1009)
    opcode, fin = stream[0] & 0x0F, stream[0] >= 0x80
    if stream[0] & 0x70 or (opcode >= 8 and (size > 125 or not fin)):
        raise _RefusedError(4404)
    end = start + 4 + size
    return fin, opcode, _xor(stream[start + 4 : end], stream[start : start + 4]), stream[end:]


def _close(payload: bytes, *, open_message: bool) -> int:
    if open_message or len(payload) == 1 or not _is_utf8(payload[2:]):
        return 4404
    code = int.from_bytes(payload[:2], "big")
    allowed = {1000, 1001, 1002, 1003, *range(1007, 1015), *range(3000, 5000)}
    return 0 if not payload or code in allowed else 4404


def _is_utf8(data: bytes) -> bool:
    try:
        data.decode()
    except UnicodeDecodeError:
        return False
    return True


def _xor(data: bytes, key: bytes) -> bytes:
    return bytes(byte ^ key[place % 4] for place, byte in enumerate(data))
