"""The ring keeps consecutive events, hands out exactly what follows a seq, and stays bounded."""

from array import array

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from canvas.events import Resized, SettingsChanged
from server.replica.merging import CELL_MASK, Frame
from server.replica.ring import CHUNK_RECORDS, FEW_RECORDS, PixelRun, Ring, Segment


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


def test_a_long_run_is_kept_in_chunks_of_one_size() -> None:
    ring = Ring(0, 10 * CHUNK_RECORDS)
    ring.append(run(1, 5))
    ring.append(run(6, 3 * CHUNK_RECORDS))
    lengths = [len(kept.records) // 4 for kept in ring.after(0) or [] if isinstance(kept, PixelRun)]
    assert lengths == [CHUNK_RECORDS] * 3 + [5]
    assert seqs(ring.after(0) or []) == list(range(1, 6 + 3 * CHUNK_RECORDS))


def newest_by_dict(records: np.ndarray) -> list[int]:
    """What a reader is to be told, the slow way."""
    at = {int(value) & CELL_MASK: index for index, value in enumerate(records)}
    return [int(records[index]) for index in sorted(at.values())]


@pytest.mark.parametrize("cells", [1, 50, 1 << 26])
@pytest.mark.parametrize("steps", [(100,), (FEW_RECORDS + 1, 1), (CHUNK_RECORDS, 700, 900)])
def test_each_chunk_is_merged_as_if_for_each_reader_alone(
    steps: tuple[int, ...], cells: int
) -> None:
    rng = np.random.default_rng(1)
    told = rng.integers(0, cells, sum(steps), np.uint32) | rng.integers(
        0, 16, sum(steps), np.uint32
    ) << np.uint32(26)
    ring, at = Ring(0, 100_000), 0
    for step in steps:
        ring.append(PixelRun(at + 1, at + step, 0, told[at : at + step].tobytes()))
        at += step
        for seq in {0, 1, at // 3, at - FEW_RECORDS - 5, at - 3} & set(range(at)):
            check_frames(told[:at], seq, list(ring.merged_after(seq)))


def check_frames(told: np.ndarray, seq: int, newest_first: list[object]) -> None:
    for frame in newest_first[::-1]:
        assert isinstance(frame, Frame)
        assert frame.first == seq + 1
        wanted = newest_by_dict(told[frame.first - 1 : frame.last])
        assert array("I", frame.records).tolist() == wanted
        assert frame.conflated == (len(wanted) < frame.last - frame.first + 1)
        seq = frame.last
    assert seq == len(told)
