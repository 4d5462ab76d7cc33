"""From sends to sights: what is matched, when, and what is forgotten."""

import struct

import numpy as np
import pytest
from tesserae_client.errors import BadFrame

from bots.load.deliveries import HELD_S, REMEMBERED_S, Deliveries, FrameCache


def pixels_frame(seq: int) -> bytes:
    return struct.pack("<BBHIQQI", 1, 0, 1, 0, seq, seq, 0)


def delays(deliveries: Deliveries, now_s: float) -> list[float]:
    return sorted(
        round(delay, 6) for _, found in deliveries.settled(now_s) for delay in found.tolist()
    )


def test_each_pixel_of_ours_is_timed_to_each_follower() -> None:
    deliveries = Deliveries()
    for now_s in (10.02, 10.03):
        deliveries.seen(5, 7, now_s)
    deliveries.acked(5, 10.0)
    deliveries.acked(7, 10.01)
    assert delays(deliveries, 10.02 + HELD_S) == [0.01, 0.02, 0.02, 0.03]


def test_what_others_placed_is_not_timed() -> None:
    deliveries = Deliveries()
    deliveries.seen(5, 5, 10.0)
    assert delays(deliveries, 100.0) == []


def test_it_waits_for_the_acks() -> None:
    deliveries = Deliveries()
    deliveries.seen(5, 5, 10.02)
    assert delays(deliveries, 10.01 + HELD_S) == []
    deliveries.acked(5, 10.0)
    assert delays(deliveries, 10.02 + HELD_S) == [0.02]


def test_a_late_follower_counts_with_its_whole_delay() -> None:
    deliveries = Deliveries()
    deliveries.acked(5, 10.0)
    deliveries.seen(5, 5, 10.1)
    assert delays(deliveries, 20.0) == [0.1]
    deliveries.seen(5, 5, 25.0)
    assert delays(deliveries, 25.0 + HELD_S) == [15.0]


def test_after_a_while_sends_are_forgotten() -> None:
    deliveries = Deliveries()
    deliveries.acked(5, 10.0)
    assert delays(deliveries, 10.0 + REMEMBERED_S) == []
    deliveries.seen(5, 5, 10.0 + REMEMBERED_S)
    assert delays(deliveries, 1_000.0) == []


def test_numbers_that_begin_anew_are_not_mixed_up() -> None:
    deliveries = Deliveries()
    deliveries.acked(5, 10.0)
    deliveries.restart()
    deliveries.seen(5, 5, 20.0)
    assert delays(deliveries, 100.0) == []


def test_the_same_bytes_are_decoded_once() -> None:
    cache = FrameCache()
    one, same, other = (pixels_frame(first) for first in (5, 5, 6))
    assert cache.decode(one) is cache.decode(same)
    assert cache.decode(other).first == 6
    assert np.array_equal(cache.decode(one).records, cache.decode(same).records)


def test_what_is_no_frame_of_pixels_is_told() -> None:
    with pytest.raises(BadFrame, match="3 bytes"):
        FrameCache().decode(b"\x01ab")
