"""How long a commit can wait for the flush that shows it."""

from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import pytest

from server.hub.pacer import FanOut, Pacer
from server.hub.ticker import Ticker, TickerEvents
from tests.support.clock import FakeClock

SHORTEST = 0.010
TOOK = 0.003


class Crowd:
    """A channel whose readers are told in as many turns as the test says."""

    def __init__(self) -> None:
        self.replica = SimpleNamespace(seq=0)
        self.turns = 1
        self.clock = FakeClock()
        self.turn_ms = 0

    def publish(self) -> set[Any]:
        self.replica.seq += 1
        return set()

    def tell(self, _until: Callable[[], bool]) -> bool:
        self.turns -= 1
        self.clock.advance(self.turn_ms)
        return self.turns <= 0


@pytest.fixture
def crowd() -> Crowd:
    return Crowd()


@pytest.fixture
def fan_out() -> FanOut:
    return FanOut()


@pytest.fixture
async def ticker(crowd: Crowd, fan_out: FanOut) -> Ticker:
    def ignore(*_: object) -> None:
        """Hear nothing."""

    events = TickerEvents(ignore, ignore, ignore)
    pacer = Pacer(SHORTEST, 0.2)
    return Ticker(crowd, pacer, fan_out, crowd.clock, 0.005, events)  # type: ignore[arg-type]  # told of no reader


async def test_a_commit_for_an_idle_stream_does_not_wait(ticker: Ticker) -> None:
    assert ticker.spare(TOOK) < 0


async def test_a_commit_is_done_when_the_pause_after_a_flush_ends(ticker: Ticker) -> None:
    ticker.flush()
    assert ticker.spare(TOOK) == pytest.approx(SHORTEST - TOOK)
    assert ticker.spare(2 * SHORTEST) < 0


async def test_a_commit_that_is_too_late_for_a_flush_is_done_for_the_next(ticker: Ticker) -> None:
    ticker.flush()
    ticker.ask()
    assert ticker.spare(TOOK) == pytest.approx(SHORTEST - TOOK)
    assert ticker.spare(SHORTEST + TOOK) == pytest.approx(SHORTEST - TOOK)


async def test_a_commit_during_a_walk_waits_for_the_pause_after_it(
    ticker: Ticker, crowd: Crowd
) -> None:
    crowd.turns = 2
    ticker._begin()
    assert ticker.spare(TOOK) == pytest.approx(SHORTEST - TOOK)


async def test_the_next_flush_is_later_by_what_a_walk_has_taken_so_far(
    ticker: Ticker, crowd: Crowd
) -> None:
    crowd.turns, crowd.turn_ms = 3, 8
    ticker._begin()
    assert ticker.spare(TOOK) == pytest.approx(0.008 - TOOK)
    ticker._go_on()
    assert ticker.spare(TOOK) == pytest.approx(0.016 - TOOK)
    ticker._go_on()
    assert ticker.interval == pytest.approx(0.024)


async def test_what_other_streams_told_meanwhile_is_fan_out_too(
    ticker: Ticker, crowd: Crowd, fan_out: FanOut
) -> None:
    crowd.turns, crowd.turn_ms = 2, 20
    ticker._begin()
    crowd.clock.advance(20)
    fan_out.seconds += 0.020
    ticker._go_on()
    assert ticker.interval == pytest.approx(0.060)
