"""Small pictures for terminals: two cells a character, at any size."""

import numpy as np
import pytest
from rich.style import Style

from pictures.choice import UNTOUCHED
from pictures.halfblocks import LOWER_HALF, UPPER_HALF, draw, sample
from pictures.picture import Pixels

PALETTE = ["#ff0000", None, "#0000ff"]


def grid(*rows: list[int]) -> Pixels:
    return np.array(rows, dtype=np.uint8)


def test_two_cells_share_a_character() -> None:
    text = draw(grid([0, 0, 2], [2, 2, 2]), PALETTE, 10, 5)
    assert text.plain == UPPER_HALF * 3 + "\n"
    assert [span.style for span in text.spans] == [
        Style(color="#ff0000", bgcolor="#0000ff"),
        Style(color="#0000ff", bgcolor="#0000ff"),
    ]


def test_what_has_no_colour_stays_as_the_terminal_is() -> None:
    text = draw(grid([1, UNTOUCHED, 0, 1], [1, 1, 1, 2]), PALETTE, 10, 5)
    assert text.plain == "  " + UPPER_HALF + LOWER_HALF + "\n"
    assert [span.style for span in text.spans[-2:]] == [
        Style(color="#ff0000"),
        Style(color="#0000ff"),
    ]


@pytest.mark.parametrize("shape", [(1, 1), (1, 500), (500, 1), (1024, 1024), (41, 79), (3, 2)])
def test_whatever_its_size_it_fits(shape: tuple[int, int]) -> None:
    sampled = sample(np.zeros(shape, dtype=np.uint8), 79, 40)
    assert 1 <= sampled.shape[0] <= 40
    assert 1 <= sampled.shape[1] <= 79
    if shape[0] <= 40 and shape[1] <= 79:
        assert sampled.shape == shape
