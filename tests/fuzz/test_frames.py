"""Anything a socket can say, read as the naive reader reads it, however it is cut or held up."""

import struct

from hypothesis import given
from hypothesis import strategies as st

from server.transport.errors import Violation
from server.transport.inbox import END_OF_STREAM, Inbox
from server.wire.binary_v1 import MAX_RECORDS, decode_place
from server.wire.errors import Malformed
from tests.support.frames import Reading, client_frame, read_naively
from tests.support.websockets import Bench
from tests.support.wire import split_frames

MAX_BYTES = 300

sizes = st.one_of(st.integers(0, 20), st.sampled_from([124, 125, 126, 127, MAX_BYTES, 301]))
masks = st.integers(0, 2**32 - 1)
text = st.text(max_size=60).map(str.encode)
payloads = st.one_of(text, st.binary(max_size=40), sizes.map(lambda size: b"a" * size))

good_frames = st.one_of(
    st.builds(client_frame, st.sampled_from([1, 2]), payloads, mask=masks),
    st.builds(client_frame, st.sampled_from([9, 10]), st.binary(max_size=125), mask=masks),
)
fragments = st.builds(
    client_frame, st.sampled_from([0, 0, 0, 1, 2, 9]), payloads, fin=st.booleans(), mask=masks
)
closes = st.builds(
    client_frame,
    st.just(8),
    st.one_of(
        st.binary(max_size=6),
        st.builds(lambda code, why: struct.pack("!H", code) + why, st.integers(0, 65535), text),
    ),
    mask=masks,
)
bad_frames = st.builds(
    client_frame,
    st.integers(0, 15),
    payloads,
    fin=st.booleans(),
    reserved=st.integers(0, 7),
    masked=st.booleans(),
)
streams = st.lists(
    st.one_of(good_frames, good_frames, fragments, closes, bad_frames, st.binary(max_size=20)),
    max_size=8,
).map(b"".join)
fragmented = st.lists(st.one_of(good_frames, fragments), max_size=10).map(b"".join)


@st.composite
def cut_streams(draw: st.DrawFn) -> list[bytes]:
    """A stream in the chunks in which a socket might give it."""
    stream = draw(st.one_of(streams, fragmented))
    cuts = sorted(draw(st.lists(st.integers(0, len(stream)), max_size=12)))
    return [stream[start:end] for start, end in zip([0, *cuts], [*cuts, len(stream)], strict=True)]


def read(chunks: list[bytes]) -> Reading:
    """Read chunks with an inbox, asking for all messages after each."""
    inbox = Inbox(MAX_BYTES)
    messages = []
    for chunk in chunks:
        inbox.receive(chunk)
        try:
            while (message := inbox.next_message()) is not None or inbox.has_more:
                messages.extend([] if message is None else [message])
        except Violation as violation:
            return Reading(messages, _pongs(inbox), int(violation.code))
    return Reading(messages, _pongs(inbox), 0 if inbox.closing else None)


def _pongs(inbox: Inbox) -> list[bytes]:
    written = b"".join(data for data in inbox.replies if data != END_OF_STREAM)
    return [frame.payload for frame in split_frames(written) if frame.opcode == 10]


@given(cut_streams())
def test_an_inbox_reads_as_the_naive_reader(chunks: list[bytes]) -> None:
    assert read(chunks) == read_naively(b"".join(chunks), MAX_BYTES)


steps = st.lists(
    st.sampled_from(["chunk", "chunk", "hold", "release", "pause", "resume", "turn"]), max_size=60
)


@given(cut_streams(), steps)
def test_nothing_is_lost_or_reordered_by_holding_and_pausing(
    chunks: list[bytes], plan: list[str]
) -> None:
    bench = Bench(max_message_bytes=MAX_BYTES)
    left = list(chunks)
    for step in plan:
        _take_step(bench, step, left)
    _let_everything_through(bench, left)
    expected = read_naively(b"".join(chunks), MAX_BYTES)
    assert bench.messages() == expected.messages
    assert bench.faults == []
    _check_end(bench, expected.end)


def _take_step(bench: Bench, step: str, left: list[bytes]) -> None:
    connection, transport = bench.connection, bench.transport
    delivered = len(bench.messages())
    mute = connection.held or not connection.writable
    if step == "chunk" and left and transport.reading:
        connection.data_received(left.pop(0))
    elif step == "hold":
        connection.hold()
    elif step == "release" and connection.held:
        connection.release()
    elif step == "pause" and connection.writable:
        connection.pause_writing()
    elif step == "resume" and not connection.writable:
        connection.resume_writing()
    elif step == "turn":
        bench.turn()
    if mute and step != "turn":
        assert len(bench.messages()) == delivered


def _let_everything_through(bench: Bench, left: list[bytes]) -> None:
    while bench.connection.held:
        bench.connection.release()
    if not bench.connection.writable:
        bench.connection.resume_writing()
    bench.turn()
    while left:
        assert bench.transport.reading
        bench.connection.data_received(left.pop(0))


def _check_end(bench: Bench, end: int | None) -> None:
    frames = split_frames(bytes(bench.transport.written))
    closes = [frame for frame in frames if frame.opcode == 8]
    assert bench.connection.closing == (end is not None)
    assert len(closes) == (end is not None)
    if closes:
        assert frames[-1] is closes[0], "something follows the close frame"
        assert bench.transport.eof_written
    if end:
        assert closes[0].payload[:2] == end.to_bytes(2, "big")
        assert b'"event":"closing"' in frames[-2].payload


@given(
    st.one_of(
        st.binary(max_size=300),
        st.builds(
            lambda head, count, tail: head + bytes(4 * count) + tail,
            st.builds(
                struct.Struct("<BBHII").pack,
                st.sampled_from([0x10, 0x10, 0x11]),
                st.sampled_from([0, 0, 1]),
                st.integers(0, 65535),
                masks,
                masks,
            ),
            st.integers(0, 66),
            st.sampled_from([b"", b"", b"\0", b"\0\0\0"]),
        ),
    )
)
def test_a_place_frame_is_exact_or_malformed(data: bytes) -> None:
    well_formed = (
        data[:2] == b"\x10\0" and len(data) % 4 == 0 and 12 + 4 <= len(data) <= 12 + 4 * MAX_RECORDS
    )
    try:
        place = decode_place(data)
    except Malformed:
        assert not well_formed
    else:
        assert well_formed
        assert struct.pack("<BBHII", 0x10, 0, *place[:3]) == data[:12]
        assert struct.pack(f"<{len(place.records)}I", *place.records) == data[12:]
