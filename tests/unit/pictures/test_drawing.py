"""PNG out: pictures that a plain reader of PNG agrees with."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from pictures.choice import rgb_of
from pictures.drawing import draw
from pictures.limits import largest_scale
from pictures.reading import read
from tests.support.http import read_png

SIXTEEN = [f"#{shade:02X}{255 - shade:02X}80" for shade in range(0, 256, 16)]
BOARDS = arrays(
    np.uint8, st.tuples(st.integers(1, 9), st.integers(1, 9)), elements=st.integers(0, 15)
)


@settings(max_examples=50, deadline=None)
@given(BOARDS, st.integers(1, 4))
def test_any_board_at_any_scale(cells: np.ndarray, scale: int) -> None:
    picture = read_png(draw(cells, ["#FFFFFF", None, *SIXTEEN[2:]], scale))
    expected = np.kron(cells, np.ones((scale, scale), np.uint8))
    assert picture.pixels == expected.tolist()
    assert [picture.palette[0], picture.palette[1]] == [bytes([255] * 3), bytes(3)]
    assert len(picture.palette) == 16


@pytest.mark.parametrize("colors", [1, 2, 3, 4, 5, 16, 17, 255, 256])
def test_palettes_of_any_size(colors: int) -> None:
    palette = [f"#{number:02X}00{255 - number:02X}" for number in range(colors)]
    cells = np.arange(colors, dtype=np.uint8)[None]
    assert np.array_equal(read(draw(cells, palette)).rgba[0, :, :3], rgb_of(palette))


def test_a_cell_without_an_entry_is_black() -> None:
    picture = read(draw(np.array([[0, 9]], np.uint8), ["#FFFFFF"]))
    assert picture.rgba[0, :, :3].tolist() == [[255] * 3, [0] * 3]


def test_a_part_of_a_board_may_be_drawn() -> None:
    cells = np.arange(16, dtype=np.uint8).reshape(4, 4)
    assert read_png(draw(cells[1:3, 1:3], SIXTEEN)).pixels == [[5, 6], [9, 10]]


def test_large_boards_are_drawn_whole() -> None:
    cells = np.random.default_rng(1).integers(0, 16, (1_001, 1_503), np.uint8)
    assert read_png(draw(cells, SIXTEEN)).pixels == cells.tolist()


def test_the_scale_is_bounded_by_the_size_of_the_picture() -> None:
    assert [largest_scale(side, side) for side in (8000, 700, 10)] == [1, 11, 32]
