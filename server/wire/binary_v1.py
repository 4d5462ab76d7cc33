"""The binary form of version 1: pixels and bands to the client, placements from it, their acks.

Owns the byte layouts of docs/reference/protocol.md (numbers little-endian, lengths exact, reserved
bits zero) and nothing else: no rule, no socket. Encoders return complete WebSocket frames.
Called by the hub (pixels, bands) and the session (placements, acks).
"""

from struct import Struct
from typing import NamedTuple

from canvas.refusals import ACCEPTED_STATUS, FOREVER_MS
from server.wire.codec import Stream
from server.wire.errors import Malformed
from server.wire.frames import binary_frame

PIXELS_OP = 0x01
BAND_OP = 0x02
PLACE_OP = 0x10
ACK_OP = 0x11

MAX_RECORDS = 64
"""Most placements in one place frame."""

_CONFLATED = 0x01
_RAW, _RAW_DEFLATE = 0, 1
_RECORD_BYTES = 4
_U16_MAX = 0xFFFF
_U64_MAX = 0xFFFF_FFFF_FFFF_FFFF

_pixels_head = Struct("<BBHIQQ").pack
_band_head = Struct("<BBHIQII").pack
_PLACE_HEAD_BYTES = 12
_PLACE_FRAMES = {
    _PLACE_HEAD_BYTES + _RECORD_BYTES * n: Struct(f"<HHII{n}I").unpack
    for n in range(1, MAX_RECORDS + 1)
}
"""How to take a frame apart, by its length: any other length is malformed."""
_new_tuple = tuple.__new__
"""A NamedTuple's own constructor costs half a microsecond more."""
# The frame's own two bytes (0x82, length 32) are packed with the ack: one call for a placement.
_ack = Struct("<BBBBHIQIHHQ").pack
_ACK_BYTES = 32


class BinaryV1:
    """Subprotocol `tesserae.v1`."""

    subprotocol: str | None = "tesserae.v1"

    def pixels(
        self,
        stream: Stream,
        generation: int,
        first: int,
        last: int,
        records: bytes,
        *,
        conflated: bool = False,
    ) -> bytes:
        """Encode a 0x01 frame."""
        flags = _CONFLATED if conflated else 0
        head = _pixels_head(PIXELS_OP, flags, stream.channel, generation, first, last)
        return binary_frame(head + records)

    def band(
        self,
        stream: Stream,
        generation: int,
        seq: int,
        first_row: int,
        rows: int,
        payload: bytes,
        *,
        deflated: bool,
    ) -> bytes:
        """Encode a 0x02 frame."""
        encoding = _RAW_DEFLATE if deflated else _RAW
        head = _band_head(BAND_OP, encoding, stream.channel, generation, seq, first_row, rows)
        return binary_frame(head + payload)


BINARY_V1 = BinaryV1()


class PlaceFrame(NamedTuple):
    """A 0x10 frame: up to 64 placements under one request number."""

    channel: int
    request: int
    generation: int
    records: tuple[int, ...]


def decode_place(data: bytes) -> PlaceFrame:
    """Decode a binary message of a client; raises Malformed for all that is no place frame."""
    unpack = _PLACE_FRAMES.get(len(data))
    if unpack is None:
        raise Malformed(f"a place frame is 12 bytes and 1 to {MAX_RECORDS} records of 4 bytes")
    fields = unpack(data)
    if fields[0] != PLACE_OP:  # and the reserved byte after it, which is 0
        raise _malformed(data)
    return _new_tuple(PlaceFrame, (fields[1], fields[2], fields[3], fields[4:]))


def _malformed(data: bytes) -> Malformed:
    if data[0] != PLACE_OP:
        return Malformed(f"unknown operation {data[0]:#04x}; a client sends only {PLACE_OP:#04x}")
    return Malformed("the second byte of a place frame is reserved and must be 0")


def ack_frame(
    status: int,
    channel: int,
    request: int,
    seq: int,
    record: int,
    index: int,
    stack_left: int,
    left_ms: int,
) -> bytes:
    """Encode the answer to one record of a place frame.

    `status` is ACCEPTED_STATUS, then `left_ms` is the time until the next placement; or a
    `Refused.status`, then `record` holds the cell's true colour at `seq`, and `left_ms` what is
    left of the refusal, which may be FOREVER_MS.
    """
    return _ack(
        0x82,
        _ACK_BYTES,
        ACK_OP,
        status,
        channel,
        request,
        seq,
        record,
        index,
        min(stack_left, _U16_MAX),
        _U64_MAX if left_ms == FOREVER_MS else min(left_ms, _U64_MAX - 1),
    )


def accepted_frame(
    channel: int, request: int, seq: int, record: int, index: int, stack_left: int, left_ms: int
) -> bytes:
    """Encode the ack of a placement, as `ack_frame` does: numbers of cooldowns fit as they are."""
    return _ack(
        0x82,
        _ACK_BYTES,
        ACK_OP,
        ACCEPTED_STATUS,
        channel,
        request,
        seq,
        record,
        index,
        stack_left,
        left_ms,
    )
