"""How long a commit can wait for the flush that shows it."""

from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import pytest

from server.hub.pacer import Pacer
from server.hub.ticker import Ticker, TickerEvents
from tests.support.clock import FakeClock

SHORTEST = 0.010
TOOK = 0.003


class Crowd:
    """A channel whose readers are told in as many turns as the test says."""

    def __init__(self) -> None:
        self.replica = SimpleNamespace(seq=0)
        self.turns = 1

    def publish(self) -> set[Any]:
        self.replica.seq += 1
        return set()

    def tell(self, _until: Callable[[], bool]) -> bool:
        self.turns -= 1
        return self.turns <= 0


@pytest.fixture
def crowd() -> Crowd:
    return Crowd()


@pytest.fixture
async def ticker(crowd: Crowd) -> Ticker:
    def ignore(*_: object) -> None:
        """Hear nothing."""

    events = TickerEvents(ignore, ignore, ignore)
    return Ticker(crowd, Pacer(SHORTEST, 0.2), FakeClock(), 0.005, events)  # type: ignore[arg-type]  # told of no reader


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
