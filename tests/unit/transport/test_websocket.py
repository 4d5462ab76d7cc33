from typing import Any

import pytest

from server.transport.websocket import FAULT_RETRY_MS, MOST_ACKS
from server.wire.codes import CloseCode
from tests.support.connections import FakePeer
from tests.support.frames import client_frame
from tests.support.websockets import Bench
from tests.support.wire import Frame, split_frames

CLOSE = client_frame(8, b"\x03\xe8")


def text(message: bytes) -> bytes:
    return client_frame(1, message)


def frames(bench: Bench) -> list[Frame]:
    return split_frames(bench.transport.take_written())


def closing(code: int, reason: str) -> list[Frame]:
    return [
        Frame(1, f'{{"event":"closing","code":{code},"reason":"{reason}"}}'.encode()),
        Frame(8, code.to_bytes(2, "big") + reason.encode()),
    ]


def bad_frame(reason: str) -> list[Frame]:
    error = f'{{"event":"error","code":"bad-frame","message":"{reason}"}}'
    return [Frame(1, error.encode()), *closing(4404, reason)]


def test_opening_sets_the_bounds_of_the_socket() -> None:
    bench = Bench(write_limit_bytes=10, send_buffer_bytes=20)
    assert bench.transport.high_water_bytes == 10
    assert list(bench.transport.socket.options.values()) == [20]
    assert bench.peer.told == [("opened", "c1")]
    assert bench.live == {bench.connection}


def test_messages_are_told_in_order_and_by_kind() -> None:
    bench = Bench(early=text(b"a") + client_frame(2, b"b"))
    bench.connection.data_received(text(b"c" * 200) + client_frame(2, b""))
    assert bench.messages() == [(True, b"a"), (False, b"b"), (True, b"c" * 200), (False, b"")]


def test_a_ping_is_answered_between_fragments() -> None:
    bench = Bench()
    bench.connection.data_received(
        client_frame(1, b"one ", fin=False)
        + client_frame(9, b"still there?")
        + client_frame(0, b"message")
    )
    assert frames(bench) == [Frame(10, b"still there?")]
    assert bench.messages() == [(True, b"one message")]


def test_a_letter_may_be_split_between_fragments() -> None:
    bench = Bench()
    bench.connection.data_received(client_frame(1, b"\xc3", fin=False) + client_frame(0, b"\xa9"))
    assert bench.messages() == [(True, "é".encode())]


@pytest.mark.parametrize(
    ("data", "complaint"),
    [
        (text(b"\xc3("), "text must be UTF-8"),
        (client_frame(1, b"x", masked=False), "incorrect masking"),
        (client_frame(3, b"x"), "invalid opcode"),
        (client_frame(9, b"x", reserved=4), "reserved bits must be 0"),
        (client_frame(0, b"x"), "unexpected continuation frame"),
        (client_frame(9, b"x" * 126), "control frame too long"),
        (client_frame(8, b"x"), "close frame too short"),
    ],
)
def test_violations_are_named_and_end_it(data: bytes, complaint: str) -> None:
    bench = Bench()
    bench.connection.data_received(data + text(b"never told"))
    assert frames(bench) == bad_frame(complaint)
    assert bench.transport.eof_written
    assert bench.messages() == []


def test_too_big_is_told_from_the_head_alone() -> None:
    bench = Bench(max_message_bytes=200)
    bench.connection.data_received(text(b"x" * 201)[:4])
    assert frames(bench) == closing(1009, "a message has at most 200 bytes")


def test_fragments_are_bounded_together() -> None:
    bench = Bench(max_message_bytes=200)
    fragment = client_frame(1, b"x" * 150, fin=False)
    bench.connection.data_received(fragment + client_frame(0, b"x" * 51))
    assert frames(bench) == closing(1009, "a message has at most 200 bytes")


def test_our_close_waits_for_theirs_and_nothing_follows_it() -> None:
    bench = Bench(close_wait_ms=700)
    bench.connection.close(CloseCode.TOKEN, "expired")
    bench.connection.close(CloseCode.BANNED, "again")
    bench.connection.write(b"late")
    bench.connection.writelines([b"late", b"later"])
    assert frames(bench) == closing(4401, "expired")
    assert bench.connection.close_by_ms == bench.clock.monotonic_ms() + 700
    bench.connection.data_received(text(b"late") + client_frame(9, b"late")[:3])
    before = bench.transport.eof_written
    bench.connection.data_received(client_frame(9, b"late")[3:] + CLOSE)
    assert (before, bench.transport.eof_written) == (False, True)
    assert bench.messages() == []


def test_a_retry_delay_is_told() -> None:
    bench = Bench()
    bench.connection.close(CloseCode.STARTING, "soon", 1500)
    assert b'"retryAfterMs":1500' in frames(bench)[0].payload


def test_a_long_reason_is_cut_at_a_letter() -> None:
    bench = Bench()
    bench.connection.close(CloseCode.BANNED, "é" * 100)
    assert frames(bench)[1].payload == (4403).to_bytes(2, "big") + ("é" * 61).encode()


def test_their_close_is_echoed() -> None:
    bench = Bench()
    bench.connection.data_received(text(b"last") + CLOSE + text(b"after"))
    assert frames(bench) == [Frame(8, b"\x03\xe8")]
    assert bench.transport.eof_written
    assert bench.connection.closing
    assert bench.messages() == [(True, b"last")]


@pytest.mark.parametrize("last_words", [CLOSE, b"\x81\x00", client_frame(1, b"x" * 20_000)])
def test_a_reset_right_after_the_last_words_is_no_fault(last_words: bytes) -> None:
    bench = Bench()
    bench.transport.is_reset = True
    bench.transport.protocol.data_received(last_words)
    assert bench.transport.aborted
    assert bench.connection.closing
    bench.connection.write(b"dropped")
    assert bench.faults == []


def test_a_close_from_within_a_message_keeps_what_follows_from_the_peer() -> None:
    def react(peer: FakePeer, what: str, detail: Any) -> None:
        if what == "text" and peer.connection is not None:
            peer.connection.close(CloseCode.PROTOCOL, "enough")

    bench = Bench(react)
    bench.connection.data_received(text(b"a") + text(b"b") + CLOSE)
    assert bench.messages() == [(True, b"a")]
    assert frames(bench) == closing(4404, "enough")
    assert bench.transport.eof_written


def test_held_messages_wait_in_order() -> None:
    def react(peer: FakePeer, what: str, detail: Any) -> None:
        if detail == b"a" and peer.connection is not None:
            peer.connection.hold()

    bench = Bench(react)
    bench.connection.data_received(text(b"a") + text(b"b") + text(b"c")[:4])
    before = bench.transport.reading
    assert bench.messages() == [(True, b"a")]
    bench.connection.release()
    assert bench.messages() == [(True, b"a")], "not in the middle of whoever released it"
    bench.turn()
    assert (before, bench.transport.reading) == (False, True)
    bench.connection.data_received(text(b"c")[4:])
    assert bench.messages() == [(True, b"a"), (True, b"b"), (True, b"c")]


def test_holds_are_counted() -> None:
    bench = Bench()
    bench.connection.hold()
    bench.connection.hold()
    bench.connection.release()
    bench.turn()
    assert bench.connection.held
    assert not bench.transport.reading
    bench.connection.release()
    bench.connection.hold()
    bench.turn()
    assert not bench.transport.reading
    bench.connection.release()
    bench.turn()
    assert bench.transport.reading


def test_who_is_not_writable_is_not_read() -> None:
    bench = Bench()
    bench.connection.pause_writing()
    assert not bench.connection.writable
    before = bench.transport.reading
    bench.connection.data_received(text(b"read already"))
    assert bench.messages() == []
    bench.connection.resume_writing()
    bench.turn()
    assert (before, bench.transport.reading) == (False, True)
    assert bench.peer.told[1:] == [("paused", None), ("resumed", None), ("text", b"read already")]


def test_a_close_reads_on_through_hold_and_pause() -> None:
    bench = Bench()
    bench.connection.hold()
    bench.connection.pause_writing()
    bench.connection.data_received(text(b"kept"))
    bench.connection.close(CloseCode.RESTART, "bye")
    assert bench.transport.reading
    bench.connection.release()
    bench.connection.resume_writing()
    bench.turn()
    bench.connection.data_received(CLOSE)
    assert bench.transport.eof_written
    assert bench.messages() == []
    assert ("resumed", None) not in bench.peer.told


def test_the_end_is_told_once_and_leaves_the_live_set() -> None:
    bench = Bench()
    bench.connection.hold()
    bench.connection.data_received(text(b"kept"))
    bench.connection.release()
    bench.transport.lose()
    bench.turn()
    bench.connection.close(CloseCode.NORMAL, "late")
    assert bench.peer.told == [("opened", "c1"), ("closed", None)]
    assert bench.live == set()
    assert bench.transport.take_written() == b""


def test_half_a_close_is_a_close() -> None:
    bench = Bench()
    bench.connection.eof_received()
    bench.connection.write(b"late")
    assert bench.connection.closing
    assert bench.transport.take_written() == b""


@pytest.mark.parametrize("what", ["opened", "text", "binary", "paused", "resumed"])
def test_a_fault_of_the_peer_ends_here(what: str) -> None:
    def react(peer: FakePeer, told: str, detail: Any) -> None:
        if told == what:
            raise KeyError(what)

    bench = Bench(react)
    bench.connection.data_received(text(b"a") + client_frame(2, b"b"))
    bench.connection.pause_writing()
    bench.connection.resume_writing()
    assert [str(fault) for fault in bench.faults] == [repr(what)]
    error, farewell, close = frames(bench)
    assert b'"code":"internal"' in error.payload
    assert f'"code":1012,"reason":"internal fault","retryAfterMs":{FAULT_RETRY_MS}'.encode() in (
        farewell.payload
    )
    assert close.payload[:2] == (1012).to_bytes(2, "big")


def test_a_fault_at_the_end_is_told_too() -> None:
    def react(peer: FakePeer, told: str, detail: Any) -> None:
        if told == "closed":
            raise KeyError(told)

    bench = Bench(react)
    bench.transport.lose()
    assert len(bench.faults) == 1
    assert bench.live == set()


def test_odd_frames_are_counted_until_taken() -> None:
    bench = Bench()
    bench.connection.data_received(
        client_frame(10)
        + client_frame(9)
        + client_frame(1, fin=False)
        + client_frame(0)
        + text(b"")
    )
    assert bench.connection.take_odd_frames() == 4
    assert bench.connection.take_odd_frames() == 0


def test_lines_go_out_together() -> None:
    bench = Bench()
    bench.connection.writelines([b"\x81\x01a", b"\x81\x01b"])
    bench.connection.write(b"\x81\x01c")
    assert [frame.payload for frame in frames(bench)] == [b"a", b"b", b"c"]


def ack_each(peer: FakePeer, what: str, data: object) -> None:
    """Leave an ack for each message, as a published placement does."""
    if what == "binary":
        assert peer.connection is not None
        peer.connection.acks.append(b"ack")


def take_acks(bench: Bench) -> int:
    """Write them as the hub does; how many there were."""
    acks, bench.connection.acks = bench.connection.acks, []
    bench.connection.writelines([b"frame", *acks])
    return len(acks)


@pytest.mark.parametrize("at_once", [1, 50])
def test_who_has_many_acks_waiting_is_not_read_until_they_are_out(at_once: int) -> None:
    bench = Bench(ack_each)
    bursts = 3 * MOST_ACKS // at_once
    for _ in range(bursts):
        bench.connection.data_received(client_frame(2, b"p") * at_once)
        bench.turn()
    acked = 0
    for _ in range(5):
        bench.turn()
        waiting = len(bench.connection.acks)
        assert waiting <= MOST_ACKS + 1
        assert bench.transport.reading == (waiting <= MOST_ACKS)
        acked += take_acks(bench)
    assert acked == len(bench.messages()) == bursts * at_once
    assert bench.faults == []


def test_a_descriptor_is_given_only_while_nothing_waits_and_nobody_closes() -> None:
    bench = Bench()
    connection, transport = bench.connection, bench.transport
    assert connection.free_fd() == transport.socket.fileno()
    transport.buffered_bytes = 1
    assert connection.free_fd() == -1
    transport.buffered_bytes = 0
    transport.closed = True
    assert connection.free_fd() == -1, "the loop closes it, and has not told yet"
    transport.closed = False
    connection.close(CloseCode.NORMAL, "")
    assert connection.free_fd() == -1


def test_a_connection_that_is_lost_gives_no_descriptor() -> None:
    bench = Bench()
    bench.connection.connection_lost(None)
    assert bench.connection.free_fd() == -1
