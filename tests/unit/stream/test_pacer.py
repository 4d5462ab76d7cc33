"""The tick adapts to what a flush costs, and never makes an idle stream wait."""

from server.hub.pacer import Pacer


def test_an_idle_stream_does_not_wait() -> None:
    assert Pacer(0.01, 0.2).delay(now=5.0) == 0.0


def test_a_cheap_flush_starts_the_shortest_interval() -> None:
    pacer = Pacer(0.01, 0.2)
    pacer.flushed(started=1.0, ended=1.001, cost=0.001)
    assert round(pacer.delay(now=1.001), 6) == 0.009


def test_a_dear_flush_is_followed_by_as_long_a_pause() -> None:
    pacer = Pacer(0.01, 0.2)
    pacer.flushed(started=1.0, ended=1.02, cost=0.02)
    assert round(pacer.delay(now=1.02), 6) == 0.02


def test_what_others_had_meanwhile_is_part_of_the_pause() -> None:
    pacer = Pacer(0.01, 0.2)
    pacer.flushed(started=1.0, ended=1.06, cost=0.04)
    assert round(pacer.delay(now=1.06), 6) == 0.02
    pacer.flushed(started=2.0, ended=2.3, cost=0.04)
    assert round(pacer.delay(now=2.3), 6) == 0.0


def test_while_one_goes_on_the_next_is_known_to_be_later() -> None:
    pacer = Pacer(0.01, 0.2)
    assert round(pacer.earliest(started=1.0, cost=0.002), 6) == 1.01
    assert round(pacer.earliest(started=1.0, cost=0.02), 6) == 1.04


def test_the_longest_interval_bounds_the_latency() -> None:
    pacer = Pacer(0.01, 0.2)
    pacer.flushed(started=1.0, ended=2.0, cost=1.0)
    assert round(pacer.delay(now=2.0), 6) == 0.2


def test_time_that_has_passed_counts() -> None:
    pacer = Pacer(0.01, 0.2)
    pacer.flushed(started=1.0, ended=1.02, cost=0.02)
    assert pacer.delay(now=1.09) == 0.0
