"""The ring keeps consecutive events, hands out exactly what follows a seq, and stays bounded."""

from array import array

import pytest
from hypothesis import given
from hypothesis import strategies as st

from canvas.events import Resized, SettingsChanged
from server.replica.ring import CHUNK_RECORDS, PixelRun, Ring, Segment


def run(first: int, count: int, generation: int = 0) -> PixelRun:
    """Make a run whose record k is its own seq."""
    records = array("I", range(first, first + count)).tobytes()
    return PixelRun(first, first + count - 1, generation, records)


def seqs(segments: list[Segment]) -> list[int]:
    """List the seqs that segments hold, trusting the records and not the spans."""
    found: list[int] = []
    for segment in segments:
        if isinstance(segment, PixelRun):
            records = array("I", segment.records).tolist()
            assert segment.last - segment.first + 1 == len(records)
            found += records
        else:
            found.append(segment.seq)
    return found


def resized(seq: int, generation: int) -> Resized:
    return Resized(seq, 0, generation, 10, 10, 0, 0, 0, 0)


def test_nothing_follows_the_newest() -> None:
    ring = Ring(41, 100)
    ring.append(run(42, 3))
    assert ring.after(44) == []


def test_what_follows_a_seq_begins_in_the_middle_of_a_run() -> None:
    ring = Ring(0, 100)
    ring.append(run(1, 10))
    assert seqs(ring.after(7) or []) == [8, 9, 10]


def test_a_seq_from_the_future_or_before_the_ring_is_not_served() -> None:
    ring = Ring(10, 100)
    ring.append(run(11, 5))
    assert ring.after(16) is None
    assert ring.after(9) is None


@pytest.mark.parametrize("first", [5, 7, 1])
def test_a_hole_or_a_repeat_is_refused(first: int) -> None:
    ring = Ring(0, 100)
    ring.append(run(1, 5))
    with pytest.raises(ValueError, match="does not follow"):
        ring.append(run(first, 1))


def test_generations_are_never_mixed_in_a_run() -> None:
    ring = Ring(0, 100)
    ring.append(run(1, 2))
    ring.append(resized(3, 1))
    ring.append(run(4, 2, generation=1))
    segments = ring.after(0) or []
    assert seqs(segments) == [1, 2, 3, 4, 5]
    assert [type(segment).__name__ for segment in segments] == ["PixelRun", "Resized", "PixelRun"]


def test_old_events_leave_and_the_ring_says_from_where_it_can_serve() -> None:
    ring = Ring(0, CHUNK_RECORDS)
    for first in range(1, 10 * CHUNK_RECORDS, CHUNK_RECORDS):
        ring.append(run(first, CHUNK_RECORDS))
    kept = ring.newest - ring.resumable_from
    assert CHUNK_RECORDS <= kept <= 2 * CHUNK_RECORDS
    assert ring.after(ring.resumable_from - 1) is None
    assert len(seqs(ring.after(ring.resumable_from) or [])) == kept


@given(
    steps=st.lists(st.integers(0, 6), max_size=60),
    bound=st.integers(1, 40),
    back=st.integers(0, 120),
)
def test_whatever_is_served_has_no_hole(steps: list[int], bound: int, back: int) -> None:
    ring, seq, generation = Ring(100, bound), 100, 0
    for step in steps:
        if step == 0:
            generation += 1
            ring.append(resized(seq + 1, generation))
            seq += 1
        else:
            ring.append(run(seq + 1, step, generation))
            seq += step
    since = seq - back
    segments = ring.after(since)
    if ring.resumable_from <= since <= seq:
        assert segments is not None
        assert seqs(segments) == list(range(since + 1, seq + 1))
    else:
        assert segments is None
    assert seq - ring.resumable_from >= min(bound, seq - 100)


def test_settings_are_kept_as_they_are() -> None:
    ring = Ring(0, 10)
    event = SettingsChanged(1, 5, {"locked": True})
    ring.append(event)
    assert ring.after(0) == [event]
