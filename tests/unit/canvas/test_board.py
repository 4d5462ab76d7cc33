import zlib

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule

from canvas.board import VECTOR_FROM, Board
from canvas.geometry import Geometry
from canvas.growth import DIRECTIONS, grow
from canvas.records import record
from tests.support.boards import NaiveBoard

SIDES = st.integers(1, 9)


def records_of(cells: list[tuple[int, int, int]]) -> np.ndarray:
    return np.array([record(*cell) for cell in cells], np.uint32)


def test_fresh_cells_are_empty() -> None:
    assert Board(3, 3).to_bytes() == b"\xff" * 5
    assert Board(3, 3, empty=7).to_bytes() == b"\x77\x77\x77\x77\x7f"
    assert Board(3, 3, empty=0, bits=1).to_bytes() == b"\x00\x7f"


@pytest.mark.parametrize(("x", "y"), [(-1, 0), (7, 0), (0, -1), (0, 3), (65_536, 0), (0, 2**31)])
def test_outside_is_an_index_error(x: int, y: int) -> None:
    board = Board(7, 3)
    with pytest.raises(IndexError, match="outside the board of 7 x 3"):
        board.get(x, y)
    with pytest.raises(IndexError, match="outside the board of 7 x 3"):
        board.set(x, y, 0)
    assert board.to_bytes() == Board(7, 3).to_bytes()


@pytest.mark.parametrize("color", [-1, 16])
def test_a_color_that_does_not_fit_is_refused(color: int) -> None:
    with pytest.raises(ValueError, match="does not fit in 4 bits"):
        Board(7, 3).set(0, 0, color)
    with pytest.raises(ValueError, match="does not fit in 4 bits"):
        Board(7, 3, empty=color)


@pytest.mark.parametrize("size", [(0, 1), (1, 0), (8001, 1), (1, 8001)])
def test_impossible_sides_are_refused(size: tuple[int, int]) -> None:
    with pytest.raises(ValueError, match="each side must be 1 to 8000"):
        Board(*size)
    with pytest.raises(ValueError, match="each side must be 1 to 8000"):
        Board.from_packed(*size, b"")


@pytest.mark.parametrize("data", [b"\xff" * 10, b"\xff" * 12, b"\xff" * 10 + b"\xf0"])
def test_packed_bytes_must_fit(data: bytes) -> None:
    with pytest.raises(ValueError, match=r"bytes|ones"):
        Board.from_packed(7, 3, data)


def test_packed_bytes_are_copied() -> None:
    data = bytearray(b"\xff" * 11)
    board = Board.from_packed(7, 3, data)
    data[0] = 0
    assert board.get(0, 0) == 15


@pytest.mark.parametrize("count", [1, VECTOR_FROM - 1, VECTOR_FROM, 3 * VECTOR_FROM])
@pytest.mark.parametrize(("width", "height"), [(7, 3), (3, 7), (8, 8), (1, 1)])
@given(st.data())
@settings(max_examples=8)
def test_the_last_write_of_a_cell_wins(
    count: int, width: int, height: int, data: st.DataObject
) -> None:
    cell = st.tuples(st.integers(0, width - 1), st.integers(0, height - 1), st.integers(0, 15))
    chance = data.draw(st.randoms(use_true_random=False))
    pool = data.draw(st.lists(cell, min_size=1, max_size=12))
    cells = [chance.choice(pool) for _ in range(count)]
    board, naive = Board(width, height), NaiveBoard(width, height)
    board.apply_records(records_of(cells))
    naive.apply(cells)
    assert board.to_bytes() == naive.packed()


@pytest.mark.parametrize("count", [1, VECTOR_FROM])
def test_records_that_do_not_fit_are_faults(count: int) -> None:
    board = Board(7, 3)
    for cell in [(7, 0, 1), (0, 3, 1)]:
        with pytest.raises(IndexError, match="outside the board of 7 x 3"):
            board.apply_records(records_of([cell] * count))
    with pytest.raises(ValueError, match="does not fit in 4 bits"):
        board.apply_records(records_of([(0, 0, 16)] * count))
    assert board.to_bytes() == Board(7, 3).to_bytes()


def test_the_vectorised_path_takes_the_last_corner_of_the_largest_board() -> None:
    board = Board(8000, 8000)
    board.apply_records(records_of([(7999, 7999, 3)] * VECTOR_FROM))
    assert (board.get(7999, 7999), board.get(7998, 7999)) == (3, 15)


def test_bands_are_packed_rows() -> None:
    board = Board(7, 3)
    board.set(0, 2, 4)
    whole = board.to_bytes()
    assert board.band(0, 2) == whole[:7]
    assert board.band(2, 1) == whole[7:] == b"\x4f\xff\xff\xff"
    assert board.band(0, 3) == whole


@pytest.mark.parametrize(("first", "rows"), [(1, 2), (0, 1), (1, 1)])
def test_bands_keep_to_whole_bytes(first: int, rows: int) -> None:
    with pytest.raises(ValueError, match="use even numbers of rows"):
        Board(7, 3).band(first, rows)


@pytest.mark.parametrize(("first", "rows"), [(0, 0), (0, 4), (-2, 2), (2, 2)])
def test_bands_keep_to_the_board(first: int, rows: int) -> None:
    with pytest.raises(ValueError, match="are not on the board"):
        Board(8, 3).band(first, rows)


def test_a_board_is_blank_until_a_cell_has_another_color() -> None:
    board = Board(7, 3, 15)
    assert board.is_blank(15)
    assert not board.is_blank(14)
    board.set(6, 2, 14)
    assert not board.is_blank(15)


class BoardMachine(RuleBasedStateMachine):
    """Any order of writes and growths leaves the packed board equal to rows of numbers."""

    @initialize(width=SIDES, height=SIDES, empty=st.integers(0, 15))
    def found(self, width: int, height: int, empty: int) -> None:
        self.empty = empty
        self.board = Board(width, height, empty)
        self.naive = NaiveBoard(width, height, empty)
        self.geometry = Geometry(width, height)

    def cells(self, data: st.DataObject, count: int) -> list[tuple[int, int, int]]:
        chance = data.draw(st.randoms(use_true_random=False))
        width, height = self.board.width, self.board.height
        return [
            (chance.randrange(width), chance.randrange(height), chance.randrange(16))
            for _ in range(count)
        ]

    @rule(data=st.data())
    def write_one(self, data: st.DataObject) -> None:
        [(x, y, color)] = self.cells(data, 1)
        self.board.set(x, y, color)
        self.naive.set(x, y, color)

    @rule(data=st.data(), count=st.sampled_from([2, 50, 100, 300]))
    def write_many(self, data: st.DataObject, count: int) -> None:
        cells = self.cells(data, count)
        self.board.apply_records(records_of(cells))
        self.naive.apply(cells)

    @rule(direction=st.sampled_from(DIRECTIONS), amount=st.integers(1, 5))
    def grow(self, direction: str, amount: int) -> None:
        growth = grow(self.geometry, direction, amount)
        self.geometry = Geometry(growth.width, growth.height, generation=growth.generation)
        self.board = self.board.grown(growth, self.empty)
        self.naive.grow(growth, self.empty)

    @invariant()
    def same(self) -> None:
        packed = self.naive.packed()
        assert self.board.to_bytes() == packed
        assert self.board.crc32() == zlib.crc32(packed)
        assert self.board.colors().tolist() == self.naive.rows
        reread = Board.from_packed(self.board.width, self.board.height, packed)
        assert reread.to_bytes() == packed


BoardMachine.TestCase.settings = settings(max_examples=20, stateful_step_count=10)
TestBoardMachine = BoardMachine.TestCase
