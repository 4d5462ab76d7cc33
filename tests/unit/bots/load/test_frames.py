"""The bare WebSocket of the load test: borders of frames, the upgrade, and what no server sends."""

import struct
from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tesserae_client.errors import BadFrame

from bots.load import frames
from bots.load.frames import BINARY, CLOSE, PING, TEXT, Frames
from tests.support.frames import client_frame, read_naively

MESSAGES = [
    (TEXT, b"{}"),
    (BINARY, bytes(125)),
    (BINARY, bytes(126)),
    (PING, b"are you there"),
    (BINARY, bytes(65_535)),
    (BINARY, bytes(65_536)),
    (CLOSE, b""),
]


def stream() -> bytes:
    return b"".join(client_frame(op, payload, masked=False) for op, payload in MESSAGES)


@given(st.lists(st.integers(0, len(stream())), max_size=20))
@settings(max_examples=60, deadline=None)
def test_any_cut_of_the_stream_gives_the_same_frames(cuts: list[int]) -> None:
    whole, reader = stream(), Frames()
    places = [0, *sorted(cuts), len(whole)]
    got = [frame for at, to in pairwise(places) for frame in reader.feed(whole[at:to])]
    assert got == MESSAGES


def test_byte_by_byte() -> None:
    reader = Frames()
    head = client_frame(TEXT, b"x" * 200, masked=False)
    got = [frame for byte in head for frame in reader.feed(bytes([byte]))]
    assert got == [(TEXT, b"x" * 200)]


@pytest.mark.parametrize(
    "bad",
    [
        client_frame(TEXT, b"x"),
        client_frame(TEXT, b"x", masked=False, fin=False),
        client_frame(TEXT, b"x", masked=False, reserved=4),
        struct.pack("!BBQ", 0x82, 127, frames.MAX_MESSAGE_BYTES + 1),
    ],
    ids=["masked", "fragmented", "reserved", "endless"],
)
def test_what_no_server_sends_is_told(bad: bytes) -> None:
    with pytest.raises(BadFrame):
        list(Frames().feed(bad))


@pytest.mark.parametrize("size", [0, 5, 125, 126, 65_535, 65_536])
def test_a_server_reads_what_is_encoded(size: int) -> None:
    payload = bytes(size)
    assert read_naively(frames.encode(BINARY, payload), 1 << 20).messages == [(False, payload)]


def test_the_key_is_answered_as_the_standard_says() -> None:
    # The example of RFC 6455, 1.3.
    key = b"the sample nonce"
    assert frames.accepting(key) == "s3pPLMBiTxaQ9kYGzzhZRbK+xOo="
    assert b"Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==" in frames.upgrade("h", "/ws", "v", key)


def test_the_answer_to_the_upgrade_is_read() -> None:
    status, headers = frames.read_head(b"HTTP/1.1 429 Too Many\r\nRetry-After: 3\r\nX:  y ")
    assert (status, headers) == (429, {"retry-after": "3", "x": "y"})


@pytest.mark.parametrize("head", [b"", b"SSH-2.0-x", b"HTTP/1.1", b"HTTP/1.1 abc"])
def test_what_is_no_http_is_told(head: bytes) -> None:
    with pytest.raises(BadFrame, match="no HTTP answer"):
        frames.read_head(head)


@pytest.mark.parametrize(
    ("payload", "said"),
    [(b"", (None, "")), (b"\x0f\xa1", (4001, "")), (b"\x0f\xa1by\xff", (4001, "by\ufffd"))],
)
def test_a_close_frame_is_read(payload: bytes, said: tuple[int | None, str]) -> None:
    assert frames.closed_by(payload) == said
