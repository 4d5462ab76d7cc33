"""Catch-ups bring any reader to the board of today, in few bytes, or say that they cannot."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from canvas.board import Board
from canvas.events import PixelPlaced, Resized
from canvas.growth import Growth
from server.replica import catch_up, ring
from server.replica.catch_up import MAX_PARTS, MAX_RECORD_BYTES, SHARE_EVERY, CatchUps, Part
from server.replica.kept import Kept
from server.replica.merging import Frame, newest_flags
from server.replica.replica import Replica
from server.replica.ring import CHUNK_RECORDS, PixelRun
from server.telemetry.traffic import Traffic
from server.wire.binary_v1 import BINARY_V1
from server.wire.codec import Codec, Stream
from server.wire.json_v1 import JSON_V1
from tests.support.games import make_replica


def pixel(seq: int, x: int, y: int, color: int, generation: int = 0) -> PixelPlaced:
    return PixelPlaced(seq, 0, x, y, color, generation, 0, 0, 15, "u", "", None, 0, 0)


def scattered(replica: Replica, count: int, *, side: int = 1 << 13, chance: int = 5) -> None:
    """Publish so many pixels all over a square of the board."""
    rng = np.random.default_rng(chance)
    x, y, color = (rng.integers(0, bound, count, np.uint32) for bound in (side, side, 16))
    records = (x | y << np.uint32(13) | color << np.uint32(26)).astype("<u4").tobytes()
    first = replica.seq + 1
    replica.apply_segment(PixelRun(first, first + count - 1, replica.generation, records))


def parts_since(replica: Replica, seq: int) -> list[Part]:
    return list(replica.ring.merged_after(seq))[::-1]


def grown_right(seq: int, replica: Replica, amount: int) -> Resized:
    now = replica.lineage.geometry
    return Resized(seq, 0, now.generation + 1, now.width + amount, now.height, 0, 0, 0, 0)


def play(board: Board, mine: int, parts: list[Part]) -> tuple[Board, int]:
    """Apply parts by rule 4 of the protocol, as any client does."""
    for part in parts:
        if isinstance(part, Frame):
            if part.last <= mine:
                continue
            assert part.first <= mine + 1
            board.apply_records(np.frombuffer(part.records, dtype="<u4"))
            mine = part.last
        elif part.seq > mine:
            assert part.seq == mine + 1
            assert isinstance(part, Resized)
            board = board.grown(Growth.of(part), 15)
            mine = part.seq
    return board, mine


@settings(deadline=None)
@given(
    steps=st.lists(
        st.one_of(
            st.tuples(st.integers(0, 15), st.integers(0, 7), st.integers(0, 15)),
            st.just("grow"),
        ),
        min_size=1,
        max_size=80,
    ),
    away=st.integers(0, 80),
)
def test_a_reader_of_any_age_ends_at_the_board_of_today(
    steps: list[tuple[int, int, int] | str], away: int
) -> None:
    replica = make_replica(16, 8)
    old, mine = Board(16, 8), 0
    for seq, step in enumerate(steps, start=1):
        if isinstance(step, str):
            replica.apply([grown_right(seq, replica, 1)])
        else:
            replica.apply([pixel(seq, *step, replica.generation)])
        if seq == away:
            old, mine = (
                Board.from_packed(
                    replica.board.width, replica.board.height, replica.board.to_bytes()
                ),
                seq,
            )
    catch_ups = CatchUps(replica, Traffic())
    assert catch_ups.possible(mine)
    board, seq = play(old, mine, parts_since(replica, mine))
    assert seq == replica.seq
    assert board.crc32() == replica.crc32()


def test_repeated_cells_are_told_once() -> None:
    replica = make_replica()
    replica.apply([pixel(seq, 3, 3, seq % 16) for seq in range(1, 101)])
    (frame,) = parts_since(replica, 0)
    assert isinstance(frame, Frame)
    assert frame.conflated
    assert (frame.first, frame.last, len(frame.records)) == (1, 100, 4)


def test_no_frame_spans_a_growth() -> None:
    replica = make_replica()
    replica.apply([pixel(1, 0, 0, 1), grown_right(2, replica, 4), pixel(3, 17, 0, 2, 1)])
    kinds = [type(part).__name__ for part in parts_since(replica, 0)]
    assert kinds == ["Frame", "Resized", "Frame"]


def test_a_reader_that_is_current_gets_nothing() -> None:
    replica = make_replica()
    replica.apply([pixel(1, 0, 0, 1)])
    assert CatchUps(replica, Traffic()).since(1, BINARY_V1) == b""


def test_readers_of_one_stretch_share_one_encoding() -> None:
    replica = make_replica()
    replica.apply([pixel(seq, seq % 16, 0, 1) for seq in range(1, 200)])
    catch_ups = CatchUps(replica, Traffic())
    assert catch_ups.since(130, BINARY_V1) is catch_ups.since(150, BINARY_V1)
    assert catch_ups.since(130, BINARY_V1) is not catch_ups.since(20, BINARY_V1)


def test_a_catch_up_is_made_anew_after_a_publication() -> None:
    replica = make_replica()
    replica.apply([pixel(1, 0, 0, 1)])
    catch_ups = CatchUps(replica, Traffic())
    before = catch_ups.since(0, BINARY_V1)
    replica.apply([pixel(2, 1, 0, 1)])
    assert catch_ups.since(0, BINARY_V1) != before


def test_only_a_snapshot_helps_one_from_before_the_ring() -> None:
    replica = make_replica(ring_events=10)
    replica.apply([pixel(seq, 0, 0, 1) for seq in range(1, 5000)])
    replica.apply([pixel(seq, 0, 0, 1) for seq in range(5000, 10_000)])
    catch_ups = CatchUps(replica, Traffic())
    assert not catch_ups.possible(0)
    assert catch_ups.since(0, BINARY_V1) is None


def test_more_bytes_than_a_snapshot_are_not_told() -> None:
    replica = make_replica(400, 400)
    cells = [(x, y) for y in range(400) for x in range(400)]
    replica.apply([pixel(seq, x, y, 1) for seq, (x, y) in enumerate(cells, start=1)])
    assert not CatchUps(replica, Traffic()).possible(80_000)
    assert CatchUps(replica, Traffic()).possible(150_000)


def test_who_is_too_far_behind_costs_no_merge_again(monkeypatch: pytest.MonkeyPatch) -> None:
    replica = make_replica(400, 400)
    cells = [(x, y) for y in range(400) for x in range(400)]
    replica.apply([pixel(seq, x, y, 1) for seq, (x, y) in enumerate(cells, start=1)])
    catch_ups = CatchUps(replica, Traffic())
    assert not catch_ups.possible(80_000)
    replica.apply([pixel(160_001, 0, 0, 2)])
    merged: list[int] = []
    monkeypatch.setattr(replica.ring, "merged_after", merged.append)
    assert not any(catch_ups.possible(seq) for seq in range(0, 80_000, 64))
    assert merged == []


def test_readers_further_back_share_longer_stretches() -> None:
    replica = make_replica(1024, 1024)
    scattered(replica, 100_000, side=100)
    catch_ups = CatchUps(replica, Traffic())
    for seq in range(replica.seq):
        start = catch_ups._start_of(seq)
        assert start <= seq
        assert seq - start < max(SHARE_EVERY, (replica.seq - seq) / 15)
    assert len({catch_ups._start_of(seq) for seq in range(replica.seq)}) < 300


@pytest.mark.parametrize("codec", [BINARY_V1, JSON_V1])
def test_readers_from_everywhere_merge_each_chunk_once(
    codec: Codec, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The work is that of the chunks, not of the readers: 2,000 positions, a publication for each
    twenty of them, and so no catch-up that two could share."""
    merged: list[int] = []

    def counting(records: np.ndarray) -> np.ndarray:
        merged.append(len(records))
        return newest_flags(records)

    monkeypatch.setattr(ring, "newest_flags", counting)
    replica = make_replica(2048, 2048)
    scattered(replica, 100_000, side=2048)
    catch_ups = CatchUps(replica, Traffic())
    for turn in range(100):
        scattered(replica, 10, side=2048, chance=turn)
        for seq in range(turn, 100_000, 5_000):
            assert catch_ups.since(seq, codec)
    assert sum(merged) <= replica.seq + 100 * CHUNK_RECORDS, "the last chunk again each time"


def test_a_chunk_that_is_full_is_encoded_once_for_all(monkeypatch: pytest.MonkeyPatch) -> None:
    encoded: list[Part] = []
    encode_part = catch_up._encode_part

    def counting(part: Part, stream: Stream, codec: Codec) -> bytes:
        encoded.append(part)
        return encode_part(part, stream, codec)

    monkeypatch.setattr(catch_up, "_encode_part", counting)
    replica = make_replica(2048, 2048)
    scattered(replica, 10 * CHUNK_RECORDS, side=2048)
    catch_ups = CatchUps(replica, Traffic())
    for publication in range(50):
        scattered(replica, 1, side=2048, chance=publication)
        assert catch_ups.since(0, JSON_V1)
    assert len(encoded) == 10 + 50


def test_a_catch_up_is_never_larger_than_its_bound() -> None:
    replica = make_replica(8000, 8000, ring_events=10_000_000)
    scattered(replica, 2_000_000, side=8000)
    catch_ups = CatchUps(replica, Traffic())
    sizes = [catch_ups.since(seq, BINARY_V1) for seq in range(0, replica.seq, 50_000)]
    assert sizes[0] is None, "a snapshot instead"
    assert 0 < max(len(size) for size in sizes if size) < MAX_RECORD_BYTES + 32 * MAX_PARTS


def test_no_catch_up_has_more_parts_than_its_bound() -> None:
    replica = make_replica(64, 64, ring_events=10_000_000)
    scattered(replica, (MAX_PARTS + 2) * CHUNK_RECORDS, side=8)
    catch_ups = CatchUps(replica, Traffic())
    assert not catch_ups.possible(0)
    assert catch_ups.possible(4 * CHUNK_RECORDS)


def test_what_is_kept_is_bounded_wherever_clients_start() -> None:
    replica = make_replica(2048, 2048)
    catch_ups = CatchUps(replica, Traffic())
    catch_ups._frames, catch_ups._joined = Kept(1_000_000, 100), Kept(1_000_000, 100)
    scattered(replica, 100_000, side=2048)
    for seq in range(0, 100_000, 61):
        assert catch_ups.since(seq, BINARY_V1)
    for kept in (catch_ups._frames, catch_ups._joined):
        assert 0 < len(kept) <= 100
        assert 0 < kept.size_bytes <= 1_000_000
    assert len(catch_ups._parts) < 300


def test_what_nobody_asks_for_is_kept_a_minute_and_made_again_after_it() -> None:
    replica, traffic = make_replica(100, 100), Traffic()
    scattered(replica, 300, side=100)
    catch_ups = CatchUps(replica, traffic)
    first = catch_ups.since(0, BINARY_V1)
    catch_ups.forget_unused(1_000)
    catch_ups.forget_unused(60_999)
    assert len(catch_ups._joined) == len(catch_ups._frames) == 1
    assert catch_ups.since(0, BINARY_V1) == first
    catch_ups.forget_unused(61_000)
    catch_ups.forget_unused(120_999)
    assert len(catch_ups._frames) == 1, "somebody asked, a minute ago at most"
    catch_ups.forget_unused(121_000)
    assert len(catch_ups._joined) == len(catch_ups._frames) == 0
    assert catch_ups.since(0, BINARY_V1) == first
    assert traffic.catch_ups_encoded == 2
