"""Copies of whole boards while placements go on: true at one seq, or not given."""

import asyncio
from functools import partial
from itertools import count

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from canvas.events import Resized
from canvas.packing import crop
from canvas.region import Region
from server.http.boards import copies
from server.http.problems import Problem
from server.replica.replica import Replica
from server.replica.ring import PixelRun
from tests.support.games import make_replica

WIDTH, HEIGHT = 7, 3
CELLS = st.tuples(st.integers(0, WIDTH - 1), st.integers(0, HEIGHT - 1), st.integers(0, 15))


def _place(replica: Replica, x: int, y: int, color: int) -> None:
    seq, record = replica.seq + 1, x | y << 13 | color << 26
    generation = replica.generation
    replica.apply_segment(PixelRun(seq, seq, generation, record.to_bytes(4, "little")))


def _grow(replica: Replica) -> None:
    geometry = replica.lineage.geometry
    replica.apply_segment(
        Resized(
            seq=replica.seq + 1,
            at_ms=0,
            generation=geometry.generation + 1,
            width=geometry.width + 1,
            height=geometry.height,
            offset_x=geometry.offset_x,
            offset_y=geometry.offset_y,
            shift_x=0,
            shift_y=0,
        )
    )


@settings(max_examples=50, deadline=None)
@given(st.lists(st.lists(CELLS, max_size=3), max_size=14))
def test_whatever_is_placed_meanwhile_is_in_the_copy(
    turns: list[list[tuple[int, int, int]]],
) -> None:
    async def scene(monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(copies, "STEP_BYTES", 1)
        replica = make_replica(WIDTH, HEIGHT)
        copying = asyncio.create_task(copies.whole_board(replica))
        at_seq = {0: replica.board.to_bytes()}
        for cells in turns:
            await asyncio.sleep(0)
            for cell in cells:
                _place(replica, *cell)
            at_seq[replica.seq] = replica.board.to_bytes()
        sheet, packed = await copying
        assert bytes(packed) == at_seq[sheet.seq]

    with pytest.MonkeyPatch.context() as monkeypatch:
        asyncio.run(scene(monkeypatch))


async def test_a_board_that_grows_meanwhile_is_copied_anew(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(copies, "STEP_BYTES", 4)
    replica = make_replica(WIDTH, HEIGHT)
    copying = asyncio.create_task(copies.whole_board(replica))
    await asyncio.sleep(0)
    _grow(replica)
    sheet, packed = await copying
    assert (sheet.seq, sheet.generation, sheet.width) == (1, 1, WIDTH + 1)
    assert bytes(packed) == replica.board.to_bytes()


async def test_a_board_that_does_not_hold_still_is_not_given(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    replica, turns = make_replica(WIDTH, HEIGHT), count()

    async def copied(grow: partial[None], board: object) -> np.ndarray:
        next(turns)
        grow()
        return np.zeros(0, np.uint8)

    monkeypatch.setattr(copies, "_copied", partial(copied, partial(_grow, replica)))
    with pytest.raises(Problem, match="replaced"):
        await copies.whole_board(replica)
    assert next(turns) == copies.MAX_TRIES


@pytest.mark.parametrize("step_bytes", [1, 1024])
async def test_a_part_is_that_of_the_board_however_it_is_copied(
    monkeypatch: pytest.MonkeyPatch, step_bytes: int
) -> None:
    monkeypatch.setattr(copies, "STEP_BYTES", step_bytes)
    replica, region = make_replica(WIDTH, HEIGHT), Region(1, 1, 4, 2)
    copying = asyncio.create_task(copies.part_of_board(replica, region))
    await asyncio.sleep(0)
    _place(replica, 2, 1, 5)
    sheet, strip = await copying
    whole = make_replica(WIDTH, HEIGHT)
    if sheet.seq:
        _place(whole, 2, 1, 5)
    assert sheet.seq == (step_bytes == 1)
    assert crop(strip.cells, strip.width, strip.region) == crop(whole.board.packed, WIDTH, region)
