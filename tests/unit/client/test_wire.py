"""The client's decoders: equal to the server's encoders, and strict with everything else."""

import contextlib

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tesserae_client.errors import BadFrame
from tesserae_client.wire import Ack, BandFrame, PixelsFrame, decode, encode_place

from server.wire.binary_v1 import BINARY_V1, ack_frame, decode_place
from server.wire.codec import Stream

u16 = st.integers(0, 2**16 - 1)
u32 = st.integers(0, 2**32 - 1)
seqs = st.integers(1, 2**63)
record_lists = st.lists(u32, min_size=1, max_size=60)


def payload(frame):
    """Strip the WebSocket header of a server's frame."""
    return frame[{126: 4, 127: 10}.get(frame[1], 2) :]


@settings(deadline=None, max_examples=40)
@given(u16, u32, seqs, record_lists, st.booleans())
def test_pixels_of_the_server(channel, generation, first, records, conflated):
    last = first + len(records) - 1
    data = np.array(records, dtype="<u4").tobytes()
    stream = Stream("place#main", channel)
    frame = decode(
        payload(BINARY_V1.pixels(stream, generation, first, last, data, conflated=conflated))
    )
    assert isinstance(frame, PixelsFrame)
    assert frame[:5] == (channel, generation, first, last, conflated)
    assert frame.records.tolist() == records


@settings(deadline=None, max_examples=40)
@given(u16, u32, seqs, u32, u32, st.binary(max_size=300), st.booleans())
def test_bands_of_the_server(channel, generation, seq, first_row, rows, data, deflated):
    stream = Stream("place#main", channel)
    frame = BINARY_V1.band(stream, generation, seq, first_row, rows, data, deflated=deflated)
    assert decode(payload(frame)) == BandFrame(
        channel, generation, seq, first_row, rows, deflated, data
    )


@settings(deadline=None, max_examples=40)
@given(u16, u32, seqs, u32, u16, u16, st.integers(-1, 2**63))
def test_acks_of_the_server(channel, request, seq, record, index, stack_left, left_ms):
    rest = (channel, request, seq, record, index, stack_left, left_ms)
    assert decode(payload(ack_frame(0, *rest))) == Ack(0, *rest)
    assert decode(payload(ack_frame(5, *rest))) == Ack(5, *rest)


@settings(deadline=None, max_examples=40)
@given(u16, u32, u32, st.lists(u32, min_size=1, max_size=64))
def test_placements_reach_the_server(channel, request, generation, records):
    frame = decode_place(encode_place(channel, request, generation, records))
    assert frame == (channel, request, generation, tuple(records))


@pytest.mark.parametrize("records", [[], [0] * 65])
def test_a_place_frame_has_1_to_64_records(records):
    with pytest.raises(ValueError, match="1 to 64"):
        encode_place(1, 2, 3, records)


@settings(deadline=None, max_examples=40)
@given(st.binary(max_size=80))
def test_any_bytes_are_a_frame_or_a_bad_one(data):
    frame = None
    with contextlib.suppress(BadFrame):
        frame = decode(data)
    assert isinstance(frame, PixelsFrame | BandFrame | Ack | None)
