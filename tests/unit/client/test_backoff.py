"""Delays: full jitter under a growing bound, never earlier than the server asked."""

from random import Random

import pytest
from tesserae_client.backoff import Backoff, comes_back


class Highest(Random):
    """Always draws the top of the range."""

    def uniform(self, _low, high):
        return high


def test_the_bound_doubles_up_to_the_cap():
    backoff = Backoff(Highest(), base_s=0.25, cap_s=3.0)
    assert [backoff.next_s() for _ in range(6)] == [0.25, 0.5, 1.0, 2.0, 3.0, 3.0]
    backoff.reset()
    assert backoff.next_s() == 0.25


def test_the_server_is_heeded_and_jitter_comes_on_top():
    assert Backoff(Highest(), base_s=0.25).next_s(retry_after_ms=4000) == 4.25


def test_jitter_spreads_over_the_whole_range():
    delays = [Backoff(Random(seed), base_s=1.0).next_s() for seed in range(200)]
    assert min(delays) < 0.1
    assert max(delays) > 0.9


@pytest.mark.parametrize(
    ("code", "expected"),
    [(1000, True), (1006, True), (1012, True), (4101, True), (4199, True), (4401, False)],
)
def test_the_range_of_a_close_code_tells(code, expected):
    assert comes_back(code) is expected
