"""Handshakes of the process: how many pass, and when the others are told to come back."""

from server.access.limits import MAX_RETRY_AFTER_S, HandshakeLimit
from tests.support.clock import FakeClock


def test_so_many_pass_in_a_second() -> None:
    clock = FakeClock()
    limit = HandshakeLimit(5, clock.monotonic_ms)
    assert [limit.admit() for _ in range(6)] == [None] * 5 + [1]
    clock.advance(1000)
    assert [limit.admit() for _ in range(6)].count(None) == 5


def test_a_crowd_is_told_to_come_back_one_after_the_other() -> None:
    limit = HandshakeLimit(10, FakeClock().monotonic_ms)
    told = [limit.admit() for _ in range(60)]
    assert told == [None] * 10 + [1] * 10 + [2] * 10 + [3] * 10 + [4] * 10 + [5] * 10


def test_nobody_is_sent_away_for_long() -> None:
    limit = HandshakeLimit(1, FakeClock().monotonic_ms)
    assert [limit.admit() for _ in range(1000)][-1] == MAX_RETRY_AFTER_S


def test_the_queue_is_forgotten_once_it_is_over() -> None:
    clock = FakeClock()
    limit = HandshakeLimit(1, clock.monotonic_ms)
    for _ in range(20):
        limit.admit()
    clock.advance(60_000)
    assert [limit.admit(), limit.admit()] == [None, 1]


def test_zero_is_no_limit() -> None:
    limit = HandshakeLimit(0, FakeClock().monotonic_ms)
    assert [limit.admit() for _ in range(1000)] == [None] * 1000
