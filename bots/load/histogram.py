"""Durations counted in buckets, so that millions of them take the memory of one page; pure.

Owns the buckets: 128 to each doubling, so that a percentile is within 0.4 % of the true sample,
from a microsecond to 71 minutes; the longest is kept exactly. Called by whoever counts time in the
load test, and merged over processes and seconds.
"""

from collections.abc import Sequence
from math import frexp

import numpy as np
from numpy.typing import NDArray

RELATIVE_ERROR = 1 / 256
OCTAVES = 32
"""Doublings above a microsecond."""
_BUCKETS_EACH = 128
_SIZE = OCTAVES * _BUCKETS_EACH
_UNIT_S = 1e-6
_LONGEST_US = float(2**OCTAVES - 1)


class Histogram:
    """Counts durations in seconds."""

    __slots__ = ("count", "counts", "longest_s")

    def __init__(self) -> None:
        self.count = 0
        self.longest_s = 0.0
        self.counts: NDArray[np.int64] = np.zeros(_SIZE, dtype=np.int64)

    def add(self, duration_s: float) -> None:
        """Count one."""
        self.counts[_bucket(duration_s)] += 1
        self.count += 1
        self.longest_s = max(self.longest_s, duration_s)

    def add_all(self, durations_s: NDArray[np.float64]) -> None:
        """Count many at once."""
        if durations_s.size:
            self.counts += np.bincount(_buckets(durations_s), minlength=_SIZE)
            self.count += durations_s.size
            self.longest_s = max(self.longest_s, float(durations_s.max()))

    def merge(self, other: "Histogram") -> None:
        """Add what another one counted."""
        self.counts += other.counts
        self.count += other.count
        self.longest_s = max(self.longest_s, other.longest_s)

    def percentile_s(self, share: float) -> float | None:
        """Return the duration below which `share` of them lie; None when there is none."""
        if not self.count:
            return None
        rank = min(self.count, max(1, int(np.ceil(share * self.count))))
        bucket = int(np.searchsorted(np.cumsum(self.counts), rank))
        return min(_middle_s(bucket), self.longest_s)

    def to_numbers(self) -> list[float]:
        """Write it as the longest, then bucket and count in turn, without the empty ones."""
        filled = np.flatnonzero(self.counts)
        pairs = np.column_stack((filled, self.counts[filled]))
        return [self.longest_s, *pairs.ravel().tolist()]

    @classmethod
    def from_numbers(cls, numbers: Sequence[float]) -> "Histogram":
        """Read what `to_numbers` wrote; raises IndexError or ValueError for anything else."""
        read = cls()
        buckets = np.array(numbers[1::2], dtype=np.int64)
        counts = np.array(numbers[2::2], dtype=np.int64)
        read.counts[buckets] = counts
        read.count = int(counts.sum())
        read.longest_s = float(numbers[0])
        return read


def _bucket(duration_s: float) -> int:
    mantissa, exponent = frexp(min(max(duration_s / _UNIT_S, 1.0), _LONGEST_US))
    return (exponent - 1) * _BUCKETS_EACH + int((mantissa - 0.5) * 2 * _BUCKETS_EACH)


def _buckets(durations_s: NDArray[np.float64]) -> NDArray[np.int64]:
    mantissas, exponents = np.frexp(np.clip(durations_s / _UNIT_S, 1.0, _LONGEST_US))
    within = ((mantissas - 0.5) * 2 * _BUCKETS_EACH).astype(np.int64)
    buckets: NDArray[np.int64] = (exponents.astype(np.int64) - 1) * _BUCKETS_EACH + within
    return buckets


def _middle_s(bucket: int) -> float:
    exponent, within = divmod(bucket, _BUCKETS_EACH)
    return float(2**exponent * (1 + (within + 0.5) / _BUCKETS_EACH) * _UNIT_S)
