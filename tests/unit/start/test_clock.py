"""The clock of leases goes on while the machine sleeps, where it has such a clock."""

import time

import pytest

from server.clock import since_boot


def test_it_never_goes_back() -> None:
    first, second = since_boot(), since_boot()
    assert 0 < first <= second


@pytest.mark.skipif(not hasattr(time, "CLOCK_BOOTTIME"), reason="this system has no such clock")
def test_it_counts_the_time_asleep_too(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[int] = []

    def told(clock: int) -> float:
        asked.append(clock)
        return 7.0

    monkeypatch.setattr(time, "clock_gettime", told)
    assert since_boot() == 7.0
    assert asked == [time.CLOCK_BOOTTIME]
