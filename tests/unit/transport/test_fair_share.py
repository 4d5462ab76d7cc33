"""One read of a socket is taken in turns, so that a flood delays nobody but the flooder."""

import pytest
from websockets.server import ServerProtocol

from server.transport.inbox import ODD_AT_ONCE, SKIPPED_AT_ONCE
from server.transport.websocket import BYTES_A_TURN, MESSAGES_A_TURN
from server.wire.codes import CloseCode
from tests.support.frames import client_frame
from tests.support.websockets import Bench
from tests.support.wire import split_frames

CLOSE = client_frame(8, b"\x03\xe8")


def numbered(count: int, size_bytes: int = 2) -> list[bytes]:
    return [number.to_bytes(size_bytes, "big") for number in range(count)]


def flood(bench: Bench, messages: list[bytes], after: bytes = b"") -> None:
    bench.connection.data_received(b"".join(client_frame(2, one) for one in messages) + after)


def test_many_messages_are_taken_a_few_a_turn_and_in_order() -> None:
    bench = Bench()
    sent = numbered(3 * MESSAGES_A_TURN + 1)
    flood(bench, sent)
    for turn in range(1, 4):
        assert len(bench.messages()) == turn * MESSAGES_A_TURN
        assert not bench.transport.reading, "nothing is taken from the kernel meanwhile"
        bench.one_turn()
    assert [data for _, data in bench.messages()] == sent
    assert bench.transport.reading


def test_large_messages_are_fewer_a_turn_but_never_none() -> None:
    bench = Bench()
    flood(bench, numbered(8, BYTES_A_TURN // 2))
    for turn in range(1, 4):
        assert len(bench.messages()) == 2 * turn
        bench.one_turn()
    flood(bench, numbered(3, 3 * BYTES_A_TURN))
    bench.turn()
    assert len(bench.messages()) == 8 + 3


def test_pings_are_answered_a_few_a_turn() -> None:
    bench = Bench()
    bench.connection.data_received(client_frame(9, b"x") * 3 * ODD_AT_ONCE + client_frame(1, b"a"))
    answered = 0
    for turn in range(1, 4):
        answered += len(split_frames(bench.transport.take_written()))
        assert answered == turn * ODD_AT_ONCE
        bench.one_turn()
    assert bench.messages() == [(True, b"a")]
    assert bench.connection.take_odd_frames() == 3 * ODD_AT_ONCE


def test_what_comes_between_two_turns_waits_for_the_next() -> None:
    bench = Bench()
    sent = numbered(2 * MESSAGES_A_TURN)
    flood(bench, sent[:-1])
    flood(bench, sent[-1:])
    assert len(bench.messages()) == MESSAGES_A_TURN
    bench.one_turn()
    assert [data for _, data in bench.messages()] == sent


def test_holding_meanwhile_asks_for_no_second_turn() -> None:
    bench = Bench()
    flood(bench, numbered(4 * MESSAGES_A_TURN))
    bench.connection.hold()
    bench.connection.release()
    bench.one_turn()
    assert len(bench.messages()) == 2 * MESSAGES_A_TURN
    bench.connection.hold()
    bench.turn()
    assert len(bench.messages()) == 2 * MESSAGES_A_TURN
    assert not bench.transport.reading


def test_a_close_after_a_flood_is_answered_after_all_of_it() -> None:
    bench = Bench()
    flood(bench, numbered(MESSAGES_A_TURN + 5), CLOSE)
    before = bench.connection.closing
    bench.turn()
    assert len(bench.messages()) == MESSAGES_A_TURN + 5
    assert (before, bench.connection.closing) == (False, True)
    assert bench.transport.eof_written


@pytest.mark.parametrize("turns", [0, 1])
def test_a_close_of_ours_in_the_middle_ends_the_turns(turns: int) -> None:
    bench = Bench()
    flood(bench, numbered(4 * MESSAGES_A_TURN), CLOSE)
    for _ in range(turns):
        bench.one_turn()
    taken = len(bench.messages())
    bench.connection.close(CloseCode.RATE, "flood")
    bench.turn()
    assert len(bench.messages()) == taken
    assert bench.transport.eof_written, "their close has come, behind what nobody reads"


def test_what_comes_after_our_close_is_passed_over_some_a_turn(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """And without the parser, which gets the client's close frame alone."""
    parsed: list[bytes] = []
    receive_data = ServerProtocol.receive_data

    def noting(parser: ServerProtocol, data: bytes) -> None:
        parsed.append(data)
        receive_data(parser, data)

    monkeypatch.setattr(ServerProtocol, "receive_data", noting)
    bench = Bench()
    bench.connection.close(CloseCode.RATE, "enough", 1)
    bench.connection.data_received(client_frame(10) * 3 * SKIPPED_AT_ONCE + CLOSE)
    for _ in range(3):
        assert not bench.transport.reading, "nothing is taken from the kernel meanwhile"
        assert not bench.transport.eof_written
        bench.one_turn()
    assert bench.transport.eof_written
    assert parsed == [CLOSE]
    assert bench.messages() == []
