"""Cutting bytes at frame borders: the same messages however the stream is cut."""

from itertools import accumulate, pairwise

from hypothesis import given, settings
from hypothesis import strategies as st
from tesserae_client.splitter import Payload, Splitter

UPGRADE = b"HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\n\r\n"


def frame(first, payload):
    size = len(payload)
    if size < 126:
        return bytes([first, size]) + payload
    if size < 65_536:
        return bytes([first, 126]) + size.to_bytes(2) + payload
    return bytes([first, 127]) + size.to_bytes(8) + payload


def split(data, cuts):
    """Feed the data in pieces, cut at these places; return what comes out."""
    splitter, borders = Splitter(), sorted({0, len(data), *(cut % (len(data) + 1) for cut in cuts)})
    return [piece for start, end in pairwise(borders) for piece in splitter.feed(data[start:end])]


def joined(pieces):
    """Put the stream together again."""
    return b"".join(
        frame(0x81 if piece.text else 0x82, piece.data) if isinstance(piece, Payload) else piece
        for piece in pieces
    )


firsts = st.sampled_from([0x81, 0x82, 0x01, 0x02, 0x80, 0x00, 0x88, 0x89, 0x8A])
payloads = st.one_of(st.binary(max_size=8), st.binary(min_size=120, max_size=140))
frames = st.lists(st.builds(frame, firsts, payloads), max_size=12)


@settings(deadline=None)
@given(frames, st.lists(st.integers(0, 2000), max_size=12))
def test_every_byte_comes_out_once_and_in_order(sent, cuts):
    data = UPGRADE + b"".join(sent)
    assert joined(split(data, cuts)) == data


@settings(deadline=None)
@given(frames, st.data())
def test_frames_that_are_not_cut_come_out_as_payloads(sent, data):
    borders = list(accumulate(map(len, sent), initial=len(UPGRADE)))
    cuts = data.draw(st.lists(st.sampled_from(borders)))
    found = split(UPGRADE + b"".join(sent), cuts)
    plain = [one for one in sent if one[0] in {0x81, 0x82}]
    assert [joined([piece]) for piece in found if isinstance(piece, Payload)] == plain


def test_uncut_everything_plain_is_found():
    sent = [(0x82, b"x" * size) for size in (0, 1, 125, 126, 65_535, 65_536)] + [(0x81, b"{}")]
    found = split(UPGRADE + b"".join(frame(*one) for one in sent), [])
    assert found == [UPGRADE, *(Payload(payload, first == 0x81) for first, payload in sent)]


def test_a_frame_cut_before_its_length_is_told_is_kept_and_found():
    one = frame(0x82, b"y" * 300)
    for known in (1, 2, 3):
        assert split(UPGRADE + one, [len(UPGRADE) + known])[1:] == [Payload(b"y" * 300, text=False)]


def test_a_refused_upgrade_and_masked_frames_come_out_raw():
    refused = b"HTTP/1.1 403 Forbidden\r\n\r\n" + frame(0x82, b"body")
    assert all(isinstance(piece, bytes) for piece in split(refused, [5, 30]))
    masked = bytes([0x82, 0x81, 1, 2, 3, 4, 9])
    assert split(UPGRADE + masked, []) == [UPGRADE, masked]


def test_an_endless_head_is_not_kept():
    splitter = Splitter()
    for _ in range(20):
        assert joined(splitter.feed(b"a" * 4096)) == b"a" * 4096
    assert splitter._head is None
