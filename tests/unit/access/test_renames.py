"""A few renames an hour, by identity, in bounded memory."""

from server.access.renames import MOST, WINDOW_MS, RenameLimit
from tests.support.clock import FakeClock


def test_the_wait_that_is_told_is_when_the_next_one_is_free() -> None:
    clock = FakeClock()
    limit = RenameLimit(clock.monotonic_ms)
    for _ in range(MOST):
        assert limit.take("g_a") == 0
        clock.advance(1000)
    wait_ms = limit.take("g_a")
    assert wait_ms == WINDOW_MS - MOST * 1000
    clock.advance(wait_ms - 1)
    assert limit.take("g_a") == 1
    clock.advance(1)
    assert limit.take("g_a") == 0
    assert limit.take("g_a") == 1000, "what was refused has cost nothing"


def test_one_does_not_pay_for_another() -> None:
    limit = RenameLimit(FakeClock().monotonic_ms)
    assert [limit.take("g_a") for _ in range(MOST + 1)][-1] > 0
    assert limit.take("g_b") == 0


def test_who_renamed_long_ago_is_forgotten() -> None:
    clock = FakeClock()
    limit = RenameLimit(clock.monotonic_ms)
    for number in range(50):
        limit.take(f"g_{number}")
    clock.advance(WINDOW_MS)
    limit.take("g_new")
    assert list(limit._moments) == ["g_new"]


def test_memory_is_bounded() -> None:
    limit = RenameLimit(FakeClock().monotonic_ms, max_kept=10)
    for number in range(1000):
        assert limit.take(f"g_{number}") == 0
    assert len(limit._moments) == 10
    assert limit.take("g_999") == 0, "the newest are kept"
    assert len(limit._moments["g_999"]) == 2
