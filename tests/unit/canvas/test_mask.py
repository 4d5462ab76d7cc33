import numpy as np
import pytest

from canvas.board import Board
from canvas.growth import Growth
from canvas.mask import Mask

ROWS = np.array([[1, 0, 1], [0, 1, 0]], np.uint8)


def allowed(mask: Mask, width: int, height: int) -> list[list[int]]:
    return [[int(mask.allows(x, y)) for x in range(width)] for y in range(height)]


def test_ones_are_open() -> None:
    assert allowed(Mask.of(ROWS), 3, 2) == ROWS.tolist()


def test_fresh_ground_is_open() -> None:
    grown = Mask.of(ROWS).grown(Growth(1, 5, 3, 1, 1))
    assert allowed(grown, 5, 3) == [[1, 1, 1, 1, 1], [1, 1, 0, 1, 1], [1, 0, 1, 0, 1]]


def test_a_mask_has_one_bit_a_cell() -> None:
    with pytest.raises(ValueError, match="pack it with bits=1"):
        Mask(Board(3, 3))
    with pytest.raises(ValueError, match="color 2 does not fit in 1 bits"):
        Mask.of(np.array([[2]], np.uint8))
