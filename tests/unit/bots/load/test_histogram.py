"""Durations in buckets: percentiles within the stated error, merging, and what is out of range."""

import numpy as np
import pytest

from bots.load.histogram import RELATIVE_ERROR, Histogram


def filled(durations_s: "np.ndarray[tuple[int], np.dtype[np.float64]]") -> Histogram:
    histogram = Histogram()
    histogram.add_all(durations_s)
    return histogram


@pytest.mark.parametrize("share", [0.5, 0.9, 0.95, 0.99, 0.999, 1.0])
def test_a_percentile_is_within_the_stated_error(share: float) -> None:
    samples = np.random.default_rng(7).lognormal(-5, 2, 20_000).clip(1e-6, 4_000)
    exact = np.sort(samples)[int(np.ceil(share * samples.size)) - 1]
    assert filled(samples).percentile_s(share) == pytest.approx(exact, rel=RELATIVE_ERROR * 1.001)


def test_one_by_one_is_the_same_as_all_at_once() -> None:
    samples = np.geomspace(1e-6, 4_000, 500)
    one_by_one = Histogram()
    for sample in samples.tolist():
        one_by_one.add(sample)
    assert one_by_one.to_numbers() == filled(samples).to_numbers()


def test_the_longest_is_exact_and_no_percentile_is_above_it() -> None:
    histogram = filled(np.array([0.001, 0.12345]))
    assert histogram.longest_s == 0.12345
    assert histogram.percentile_s(1.0) == pytest.approx(0.12345, rel=RELATIVE_ERROR)
    assert (histogram.percentile_s(1.0) or 0) <= 0.12345


def test_nothing_counted_has_no_percentile() -> None:
    histogram = filled(np.array([], dtype=np.float64))
    assert (histogram.count, histogram.percentile_s(0.5)) == (0, None)


def test_merging_is_counting_together() -> None:
    left, right = np.array([0.001, 0.01]), np.array([0.1, 5.0])
    merged = filled(left)
    merged.merge(filled(right))
    assert merged.to_numbers() == filled(np.concatenate((left, right))).to_numbers()


def test_what_is_out_of_range_is_counted_at_the_ends() -> None:
    histogram = filled(np.array([-1.0, 0.0, 1e9]))
    histogram.add(-1.0)
    histogram.add(1e9)
    assert histogram.count == 5
    assert histogram.percentile_s(0.5) == pytest.approx(1e-6, rel=0.01)


def test_it_survives_the_way_between_processes() -> None:
    histogram = filled(np.geomspace(0.001, 1, 50))
    again = Histogram.from_numbers(histogram.to_numbers())
    assert again.to_numbers() == histogram.to_numbers()
    assert again.count == 50


@pytest.mark.parametrize("numbers", [[], [1.0, 99_999, 1], [1.0, 3]])
def test_what_is_no_histogram_is_not_read(numbers: list[float]) -> None:
    with pytest.raises((IndexError, ValueError)):
        Histogram.from_numbers(numbers)
