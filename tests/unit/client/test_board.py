"""The numpy board against a naive one, and its checksum against the server's board."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tesserae_client.board import Board, newest
from tesserae_client.records import from_triples, parts, record

from canvas import board as server_board

SIZES = [(7, 3), (3, 7), (1, 1), (4, 4)]


@pytest.mark.parametrize(("width", "height"), SIZES)
@settings(deadline=None, max_examples=40)
@given(data=st.data())
def test_records_are_applied_in_order(width, height, data):
    cell = st.tuples(st.integers(0, width - 1), st.integers(0, height - 1), st.integers(0, 15))
    cells = data.draw(st.lists(cell, max_size=60))
    board, naive = Board(width, height), {}
    board.apply(from_triples(cells))
    for x, y, color in cells:
        naive[x, y] = color
    for y in range(height):
        for x in range(width):
            assert board[x, y] == naive.get((x, y), 15)


@pytest.mark.parametrize(("width", "height"), SIZES)
def test_packing_and_checksum_equal_the_servers(width, height):
    ours, theirs = Board(width, height), server_board.Board(width, height)
    for n, (x, y) in enumerate((x, y) for y in range(height) for x in range(width)):
        theirs.set(x, y, n % 16)
        ours.apply(from_triples([(x, y, n % 16)]))
        assert ours.crc32() == theirs.crc32()
    assert ours.packed() == theirs.to_bytes()
    again = Board.from_packed(width, height, theirs.to_bytes())
    assert np.array_equal(again.colors, ours.colors)


@settings(deadline=None, max_examples=40)
@given(st.lists(st.integers(0, 2**32 - 1), max_size=60))
def test_only_the_newest_of_each_cell_is_kept(packed):
    naive = {value & 0x03FF_FFFF: value for value in packed}
    kept = newest(np.array(packed, dtype=np.uint32)).tolist()
    assert sorted(kept) == sorted(naive.values())


def test_growth_moves_the_picture_and_fills_the_rest():
    board = Board(2, 2, empty=1)
    board.fill(0, 0, 1, 0, 7)
    board.resize(5, 4, 2, 1, empty=3)
    assert board.colors.tolist() == [
        [3, 3, 3, 3, 3],
        [3, 3, 7, 7, 3],
        [3, 3, 1, 1, 3],
        [3, 3, 3, 3, 3],
    ]
    with pytest.raises(ValueError, match="does not fit"):
        board.resize(4, 4, 0, 0, empty=3)


@pytest.mark.parametrize("count", [1, 40])
def test_a_cell_outside_is_an_error(count):
    with pytest.raises(IndexError):
        Board(7, 3).apply(from_triples([(7, 0, 1)] * count))


@pytest.mark.parametrize("cell", [(7, 0), (0, 3), (-1, 0), (0, -1)])
def test_reading_outside_is_an_error(cell):
    with pytest.raises(IndexError, match="outside 7 x 3"):
        Board(7, 3)[cell]


def test_a_snapshot_of_the_wrong_size_is_refused():
    with pytest.raises(ValueError, match="10 bytes"):
        Board.from_packed(7, 3, bytes(10))


@settings(deadline=None, max_examples=40)
@given(st.integers(0, 8191), st.integers(0, 8191), st.integers(0, 63))
def test_records_split_into_what_they_were_made_of(x, y, color):
    assert parts(record(x, y, color)) == (x, y, color)


@pytest.mark.parametrize("cell", [(8192, 0, 0), (0, -1, 0), (0, 0, 64)])
def test_what_fits_no_record(cell):
    with pytest.raises(ValueError, match="fits no record"):
        record(*cell)
