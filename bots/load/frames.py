"""WebSocket frames as a client of the load test needs them; pure.

Owns the upgrade and the border of frames, no meaning of a message and no socket. A tenth of what a
complete library does for each message, since the server neither fragments nor masks nor compresses;
anything else than that is BadFrame. Called by line.py with every byte of one connection.
"""

from base64 import b64encode
from collections.abc import Iterator
from hashlib import sha1

from tesserae_client.errors import BadFrame

TEXT, BINARY, CLOSE, PING, PONG = 1, 2, 8, 9, 10
MAX_MESSAGE_BYTES = 64 * 1024 * 1024
MAX_HEAD_BYTES = 16_384
_FINAL, _MASKED, _RESERVED = 0x80, 0x80, 0x70
_LENGTH_16, _LENGTH_64 = 126, 127
_LENGTH_BYTES = {_LENGTH_16: 2, _LENGTH_64: 8}
_NO_MASK = b"\0\0\0\0"
"""A mask of zeros is a mask: nothing of ours has to be hidden from a proxy."""
_ACCEPTING = b"258EAFA5-E914-47DA-95CA-C5AB0DC85B11"
_CODE_BYTES = 2

Frame = tuple[int, bytes]
"""Opcode and payload."""


class Frames:
    """Cuts the server's bytes into frames."""

    __slots__ = ("_kept", "_needed")

    def __init__(self) -> None:
        self._kept = bytearray()
        self._needed = 0
        """Bytes that the frame which has begun takes, as far as is known."""

    def feed(self, data: bytes) -> Iterator[Frame]:
        """Yield the frames that are whole now; raises BadFrame."""
        if self._kept:
            self._kept += data
            if len(self._kept) < self._needed:
                return
            data = bytes(self._kept)
            self._kept.clear()
        at, end = 0, len(data)
        while at < end:
            start, stop = _measured(data, at)
            if stop > end:
                self._kept += data[at:]
                self._needed = stop - at
                return
            yield data[at] & 0x0F, data[start:stop]
            at = stop


def _measured(data: bytes, at: int) -> tuple[int, int]:
    """Return where a frame's payload starts and stops; at the least, if that is not known yet."""
    if at + 2 > len(data):
        return at, at + 2
    first, size = data[at], data[at + 1]
    if not first & _FINAL or first & _RESERVED or size & _MASKED:
        raise BadFrame(f"the frame's head {first:02x} {size:02x} is none that a server sends here")
    start = at + 2
    if size >= _LENGTH_16:
        start += _LENGTH_BYTES[size]
        if start > len(data):
            return at, start
        size = int.from_bytes(data[at + 2 : start])
    if size > MAX_MESSAGE_BYTES:
        raise BadFrame(f"a message of {size:,} bytes; {MAX_MESSAGE_BYTES:,} are the most")
    return start, start + size


def encode(opcode: int, payload: bytes) -> bytes:
    """Build a frame to the server."""
    size = len(payload)
    if size < _LENGTH_16:
        head = bytes((_FINAL | opcode, _MASKED | size))
    elif size < 1 << 16:
        head = bytes((_FINAL | opcode, _MASKED | _LENGTH_16)) + size.to_bytes(2)
    else:
        head = bytes((_FINAL | opcode, _MASKED | _LENGTH_64)) + size.to_bytes(8)
    return head + _NO_MASK + payload


def closed_by(payload: bytes) -> tuple[int | None, str]:
    """Read a close frame: its code, if it has one, and its reason."""
    if len(payload) < _CODE_BYTES:
        return None, ""
    return int.from_bytes(payload[:_CODE_BYTES]), payload[_CODE_BYTES:].decode(errors="replace")


def upgrade(host: str, path: str, subprotocol: str, key: bytes) -> bytes:
    """Build the request; `key` is 16 bytes of chance."""
    lines = (
        f"GET {path} HTTP/1.1",
        f"Host: {host}",
        "Upgrade: websocket",
        "Connection: Upgrade",
        f"Sec-WebSocket-Key: {b64encode(key).decode()}",
        "Sec-WebSocket-Version: 13",
        f"Sec-WebSocket-Protocol: {subprotocol}",
    )
    return "\r\n".join((*lines, "", "")).encode("ascii")


def accepting(key: bytes) -> str:
    """Return what the server has to answer to a key."""
    digest = sha1(b64encode(key) + _ACCEPTING, usedforsecurity=False)
    return b64encode(digest.digest()).decode()


def read_head(head: bytes) -> tuple[int, dict[str, str]]:
    """Read the answer to the upgrade: status and headers by lower-case name. Raises BadFrame."""
    lines = head.decode("latin-1").split("\r\n")
    words = lines[0].split(" ", 2)
    if not words[0].startswith("HTTP/1.") or not "".join(words[1:2]).isdecimal():
        raise BadFrame(f"no HTTP answer but {lines[0]!r:.80}")
    pairs = (line.partition(":") for line in lines[1:])
    return int(words[1]), {name.strip().lower(): value.strip() for name, _, value in pairs}
