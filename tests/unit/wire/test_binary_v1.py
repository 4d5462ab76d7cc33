import struct

import pytest

from canvas.cooldown import MAX_COOLDOWN_MS, MAX_STACK, CooldownRule
from canvas.refusals import ACCEPTED_STATUS, FOREVER_MS
from server.wire.binary_v1 import (
    MAX_RECORDS,
    PlaceFrame,
    accepted_frame,
    ack_frame,
    decode_place,
)
from server.wire.errors import Malformed
from tests.support.wire import Ack, decode_binary, only_frame


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
def test_what_is_wrong_is_told(data: bytes, complaint: str) -> None:
    with pytest.raises(Malformed, match=complaint):
        decode_place(data)


def test_an_accepted_placement_is_told_like_any_answer() -> None:
    """With the most that a stack of cooldowns can hold."""
    most = CooldownRule(MAX_COOLDOWN_MS, MAX_STACK)
    fields = (7, 0xFFFF_FFFF, 1 << 60, 0xFFFF_FFFF, 63, most.max_stack, most.full_ms)
    assert accepted_frame(*fields) == ack_frame(ACCEPTED_STATUS, *fields)
