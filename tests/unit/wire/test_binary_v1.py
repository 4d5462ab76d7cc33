import struct

import pytest

from canvas.refusals import ACCEPTED_STATUS, FOREVER_MS, Refused
from server.wire.binary_v1 import (
    BINARY_V1,
    MAX_RECORDS,
    PlaceFrame,
    ack_frame,
    decode_place,
)
from server.wire.codec import Stream
from server.wire.errors import Malformed
from tests.support.wire import Ack, Band, Pixels, decode_binary, only_frame

STREAM = Stream("place#main", 0x0203)


def test_golden_pixels() -> None:
    frame = BINARY_V1.pixels(STREAM, 4, 5, 6, b"\x01\x02\x03\x04\x05\x06\x07\x08")
    assert frame.hex(" ") == (
        "82 20 01 00 03 02 04 00 00 00"
        " 05 00 00 00 00 00 00 00 06 00 00 00 00 00 00 00"
        " 01 02 03 04 05 06 07 08"
    )


def test_golden_band() -> None:
    frame = BINARY_V1.band(STREAM, 4, 5, 6, 7, b"\xab\xcd", deflated=True)
    assert frame.hex(" ") == (
        "82 1a 02 01 03 02 04 00 00 00 05 00 00 00 00 00 00 00 06 00 00 00 07 00 00 00 ab cd"
    )


def test_golden_ack() -> None:
    frame = ack_frame(ACCEPTED_STATUS, 0x0203, 0x04050607, 8, 0x090A0B0C, 13, 14, 15)
    assert frame.hex(" ") == (
        "82 20 11 00 03 02 07 06 05 04 08 00 00 00 00 00 00 00"
        " 0c 0b 0a 09 0d 00 0e 00 0f 00 00 00 00 00 00 00"
    )


def test_golden_place() -> None:
    data = bytes.fromhex("10 00 03 02 07 06 05 04 02 00 00 00 0c 0b 0a 09 ff ff ff ff")
    assert decode_place(data) == PlaceFrame(0x0203, 0x04050607, 2, (0x090A0B0C, 0xFFFFFFFF))


def test_pixels_and_bands_read_back() -> None:
    big = 2**63 + 1
    conflated = BINARY_V1.pixels(STREAM, 2**32 - 1, big, big + 9, b"\xff" * 4, conflated=True)
    assert decode_binary(only_frame(conflated).payload) == Pixels(
        True, 0x0203, 2**32 - 1, big, big + 9, [2**32 - 1]
    )
    raw = BINARY_V1.band(STREAM, 0, big, 8000, 2, b"x" * 8000, deflated=False)
    assert decode_binary(only_frame(raw).payload) == Band(
        False, 0x0203, 0, big, 8000, 2, b"x" * 8000
    )


@pytest.mark.parametrize("refused", Refused)
def test_every_refusal_has_its_status_byte(refused: Refused) -> None:
    ack = decode_binary(only_frame(ack_frame(refused.status, 1, 2, 3, 4, 5, 6, 7)).payload)
    assert ack == Ack(refused.status, 1, 2, 3, 4, 5, 6, 7)


@pytest.mark.parametrize(
    ("left_ms", "on_the_wire"),
    [
        (0, 0),
        (100 * 86_400_000, 100 * 86_400_000),
        (2**64 - 1, 2**64 - 2),
        (2**70, 2**64 - 2),
        (FOREVER_MS, 2**64 - 1),
    ],
)
def test_c46_what_is_left_fits_its_field(left_ms: int, on_the_wire: int) -> None:
    ack = decode_binary(only_frame(ack_frame(1, 0, 0, 0, 0, 0, 0, left_ms)).payload)
    assert isinstance(ack, Ack)
    assert ack.left_ms == on_the_wire


def test_a_stack_past_its_field_is_told_as_its_greatest() -> None:
    ack = decode_binary(only_frame(ack_frame(ACCEPTED_STATUS, 0, 0, 0, 0, 0, 70_000, 0)).payload)
    assert isinstance(ack, Ack)
    assert ack.stack_left == 65_535


def place(count: int, op: int = 0x10, reserved: int = 0) -> bytes:
    return struct.pack("<BBHII", op, reserved, 1, 2, 3) + bytes(4 * count)


@pytest.mark.parametrize("count", [1, 2, MAX_RECORDS])
def test_a_place_frame_holds_1_to_64_records(count: int) -> None:
    assert decode_place(place(count)) == PlaceFrame(1, 2, 3, (0,) * count)


@pytest.mark.parametrize(
    ("data", "complaint"),
    [
        (b"", "12 bytes"),
        (place(0), "1 to 64 records"),
        (place(65), "1 to 64 records"),
        (place(1)[:-1], "records of 4 bytes"),
        (place(1) + b"\0", "records of 4 bytes"),
        (place(1, op=0x11), "unknown operation 0x11"),
        (place(1, reserved=1), "reserved"),
    ],
)
def test_anything_else_is_malformed(data: bytes, complaint: str) -> None:
    with pytest.raises(Malformed, match=complaint):
        decode_place(data)
