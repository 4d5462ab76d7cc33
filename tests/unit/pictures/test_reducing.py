"""Which colours of too many are kept."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pictures.picture import PictureError
from pictures.reducing import Replaced, reduced

RED, DARK_RED, BLUE, WHITE = "#FF0000", "#E80000", "#0000FF", "#FFFFFF"


def test_colors_alike_are_joined() -> None:
    reduction = reduced([WHITE, RED, DARK_RED, BLUE], 3)
    assert reduction.kept in {(0, 1, 3), (0, 2, 3)}
    assert reduction.new_numbers[1] == reduction.new_numbers[2] == 1


def test_what_a_picture_uses_is_kept() -> None:
    reduction = reduced([WHITE, RED, DARK_RED, BLUE], 2, [0, 50, 40, 0])
    assert reduction.kept == (1, 2)
    assert reduction.new_numbers == {0: 0, 1: 0, 2: 1, 3: 1}
    assert reduction.replaced[0] == Replaced(0, WHITE, 1, RED, 0)


def test_a_picture_that_uses_few_keeps_them_all() -> None:
    assert reduced([WHITE, RED, DARK_RED, BLUE], 3, [9, 0, 1, 1]).kept == (0, 2, 3)


def test_gaps_are_passed_over() -> None:
    reduction = reduced([None, RED, None, BLUE], 16)
    assert (reduction.kept, reduction.replaced) == ((1, 3), ())
    assert reduction.new_numbers == {1: 0, 3: 1}


def test_a_palette_of_none_says_so() -> None:
    with pytest.raises(PictureError, match="no color can be kept"):
        reduced([None], 16)


@given(st.lists(st.integers(0, 0xFFFFFF), min_size=1, max_size=40, unique=True), st.integers(1, 16))
def test_every_color_finds_its_place(values: list[int], keep: int) -> None:
    colors = [f"#{value:06X}" for value in values]
    reduction = reduced(colors, keep)
    assert len(reduction.kept) == min(keep, len(colors))
    assert sorted(reduction.new_numbers) == list(range(len(colors)))
    assert [reduction.new_numbers[old] for old in reduction.kept] == list(
        range(len(reduction.kept))
    )
    assert {entry.number for entry in reduction.replaced} == set(range(len(colors))) - set(
        reduction.kept
    )
