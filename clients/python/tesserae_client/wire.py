"""The binary frames of protocol version 1, as values; pure.

Owns the byte layouts (numbers little-endian, lengths exact, reserved bits zero) and never a
socket or a rule. Every decoder raises BadFrame for what the protocol does not allow. Called by the
link for each binary message.
"""

from collections.abc import Callable, Sequence
from struct import Struct
from typing import NamedTuple

import numpy as np

from tesserae_client.errors import BadFrame
from tesserae_client.records import Records

PIXELS_OP, BAND_OP, PLACE_OP, ACK_OP = 0x01, 0x02, 0x10, 0x11

FRAME_RECORDS = 64
"""Most records of one place frame."""
FOREVER_MS = -1
"""`left_ms` of a refusal that time does not lift."""

_PIXELS = Struct("<BBHIQQ")
_BAND = Struct("<BBHIQII")
_PLACE = Struct("<BBHII")
_ACK = Struct("<BBHIQIHHQ")
_CONFLATED = 1
_MAX_GENERATION = 0xFFFF_FFFF
_ALL_ONES = 0xFFFF_FFFF_FFFF_FFFF
_RECORD = np.dtype("<u4")


class PixelsFrame(NamedTuple):
    """Numbered pixels: plain, one record for each seq; conflated, the newest of each cell."""

    channel: int
    generation: int
    first: int
    last: int
    conflated: bool
    records: Records


class BandFrame(NamedTuple):
    """Some rows of a snapshot, as packed bytes, perhaps deflated."""

    channel: int
    generation: int
    seq: int
    first_row: int
    rows: int
    deflated: bool
    payload: bytes | bytearray


class Ack(NamedTuple):
    """The answer to one record of a place frame; status 0 is accepted."""

    status: int
    channel: int
    request: int
    seq: int
    record: int
    record_index: int
    """The record's place in its frame."""
    stack_left: int
    left_ms: int


Frame = PixelsFrame | BandFrame | Ack


def decode(data: bytes | bytearray) -> Frame | None:
    """Decode one binary message to the client; None for an operation of a later version."""
    if not data:
        raise BadFrame("an empty binary frame")
    decoder = _DECODERS.get(data[0])
    return None if decoder is None else decoder(data)


def decode_pixels(data: bytes | bytearray) -> PixelsFrame:
    """Decode a 0x01 frame; the records are a view of `data`."""
    size = len(data) - _PIXELS.size
    if size < 0 or size % _RECORD.itemsize:
        raise BadFrame(f"a pixels frame of {len(data)} bytes")
    _, flags, channel, generation, first, last = _PIXELS.unpack_from(data)
    count = size // _RECORD.itemsize
    check_span(first, last, count, conflated=flags == _CONFLATED)
    if flags > _CONFLATED:
        raise BadFrame(f"a pixels frame with the reserved flags {flags:#04x}")
    records = np.frombuffer(data, _RECORD, offset=_PIXELS.size)
    return PixelsFrame(channel, generation, first, last, flags == _CONFLATED, records)


def check_span(first: int, last: int, count: int, *, conflated: bool) -> None:
    """Raise BadFrame unless `count` records can stand for seq first…last."""
    span = last - first + 1
    if span < 1 or (count > span if conflated else count != span):
        raise BadFrame(f"{count} records for seq {first} to {last}")


def decode_band(data: bytes | bytearray) -> BandFrame:
    """Decode a 0x02 frame; the payload stays compressed."""
    if len(data) < _BAND.size:
        raise BadFrame(f"a band frame of {len(data)} bytes")
    _, encoding, channel, generation, seq, first_row, rows = _BAND.unpack_from(data)
    if encoding > 1:
        raise BadFrame(f"a band in the unknown encoding {encoding}")
    payload = data[_BAND.size :]
    return BandFrame(channel, generation, seq, first_row, rows, encoding == 1, payload)


def decode_ack(data: bytes | bytearray) -> Ack:
    """Decode a 0x11 frame."""
    if len(data) != _ACK.size:
        raise BadFrame(f"an ack frame of {len(data)} bytes instead of {_ACK.size}")
    _, status, channel, request, seq, record, index, stack_left, left_ms = _ACK.unpack(data)
    left_ms = FOREVER_MS if left_ms == _ALL_ONES else left_ms
    return Ack(status, channel, request, seq, record, index, stack_left, left_ms)


def checked(generation: int) -> int:
    """Return the generation; raises ValueError when no frame can hold it."""
    if not 0 <= generation <= _MAX_GENERATION:
        raise ValueError(f"generation {generation}: give one from 0 to {_MAX_GENERATION}")
    return generation


def encode_place(channel: int, request: int, generation: int, records: Sequence[int]) -> bytes:
    """Encode a 0x10 frame of 1 to 64 records."""
    if not 1 <= len(records) <= FRAME_RECORDS:
        raise ValueError(f"{len(records)} placements in one frame: send 1 to {FRAME_RECORDS}")
    head = _PLACE.pack(PLACE_OP, 0, channel, request, generation)
    return head + np.array(records, dtype=_RECORD).tobytes()


_DECODERS: dict[int, Callable[[bytes | bytearray], Frame]] = {
    PIXELS_OP: decode_pixels,
    BAND_OP: decode_band,
    ACK_OP: decode_ack,
}
