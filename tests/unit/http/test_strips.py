"""Strips: a part of a board out of a few rows is the part of the whole board."""

import numpy as np
import pytest

from canvas.board import Board
from canvas.packing import crop
from canvas.region import Region
from server.http.boards.strips import strip_bytes, strip_of


@pytest.mark.parametrize("size", [(7, 3), (8, 4), (3, 7), (1, 1), (5, 5)])
def test_every_part_is_that_of_the_whole(size: tuple[int, int]) -> None:
    width, height = size
    board = Board(width, height)
    for cell in range(width * height):
        board.set(cell % width, cell // width, cell % 16)
    for y1 in range(height):
        for y2 in range(y1, height):
            region = Region(width // 2, y1, width - 1, y2)
            strip = strip_of(board, region)
            assert crop(strip.cells, strip.width, strip.region) == crop(board.packed, width, region)
            assert len(strip.packed) <= strip_bytes(board, region)


def test_one_cell_of_a_large_board_copies_two_rows() -> None:
    board = Board(8000, 8000)
    assert len(strip_of(board, Region(17, 4001, 17, 4001)).packed) == 8000
    assert np.all(strip_of(board, Region(0, 7999, 0, 7999)).cells == 0xFF)
