"""Credits against a naive model, and what can be read of them for free."""

from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from server.access.limits import CreditRule, Credits


class NaiveBucket:
    """Credits as an exact fraction, topped up whenever it is looked at."""

    def __init__(self, rate: int, burst: int) -> None:
        self.rate, self.burst = rate, burst
        self.credits, self.at_ms = Fraction(burst), 0

    def top_up(self, now_ms: int) -> None:
        earned = Fraction(self.rate * (now_ms - self.at_ms), 1000)
        self.credits, self.at_ms = min(Fraction(self.burst), self.credits + earned), now_ms

    def take(self, cost: int, now_ms: int) -> bool:
        self.top_up(now_ms)
        cost = min(cost, self.burst)
        if self.credits < cost:
            return False
        self.credits -= cost
        return True


STEPS = st.lists(st.tuples(st.integers(0, 3000), st.integers(0, 80)), max_size=60)


@given(st.integers(1, 5000), st.integers(1, 200), STEPS)
def test_credits_are_a_token_bucket_to_the_fraction(
    rate: int, burst: int, steps: list[tuple[int, int]]
) -> None:
    bucket, model, now_ms = Credits(CreditRule(rate, burst)), NaiveBucket(rate, burst), 0
    for passed_ms, cost in steps:
        now_ms += passed_ms
        assert (bucket.take(cost, now_ms) == 0) == model.take(cost, now_ms)
        assert bucket.left(now_ms) == model.credits // 1


@given(st.integers(1, 500), st.integers(1, 100), st.integers(1, 150))
def test_the_wait_that_is_told_is_enough_and_not_too_long(rate: int, burst: int, cost: int) -> None:
    bucket = Credits(CreditRule(rate, burst))
    bucket.take(burst, 1000)
    wait_ms = bucket.take(cost, 1000)
    assert wait_ms > 0
    assert bucket.take(cost, 1000 + wait_ms - 1) > 0
    assert bucket.take(cost, 1000 + wait_ms) == 0


def test_reading_costs_nothing() -> None:
    bucket = Credits(CreditRule(rate=10, burst=5))
    bucket.take(3, 1000)
    assert [bucket.left(1000) for _ in range(10)] == [2] * 10
    assert bucket.full_in_ms(1000) == 300
    assert bucket.full_in_ms(1300) == 0
    assert bucket.left(1299) == 4
    assert bucket.left(1300) == 5


@pytest.mark.parametrize("rule", [CreditRule(0, 5), CreditRule(5, 0), CreditRule(0, 0)])
def test_either_at_zero_is_no_limit(rule: CreditRule) -> None:
    bucket = Credits(rule)
    assert rule.off
    assert all(bucket.take(64, 0) == 0 for _ in range(1000))
    assert bucket.left(0) is None
    assert bucket.full_in_ms(0) == 0


def test_what_costs_more_than_the_bucket_holds_is_paid_by_a_full_one() -> None:
    bucket = Credits(CreditRule(rate=1, burst=3))
    assert bucket.take(64, 0) == 0
    assert bucket.left(0) == 0
    assert bucket.take(64, 0) == 3000
