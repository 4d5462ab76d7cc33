"""Conway's rule on a torus, with colours that are inherited."""

from random import Random

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bots.life import glider, next_generation, soup

EMPTY = 15


def world(*rows):
    return np.array([[EMPTY if c == "." else int(c) for c in row] for row in rows], dtype=np.uint8)


def naive(cells):
    """The rule cell by cell."""
    height, width = cells.shape
    after = np.full_like(cells, EMPTY)
    for y in range(height):
        for x in range(width):
            around = [
                int(cells[(y + dy) % height, (x + dx) % width])
                for dy in (-1, 0, 1)
                for dx in (-1, 0, 1)
                if dy or dx
            ]
            parents = [color for color in around if color != EMPTY]
            if cells[y, x] != EMPTY and len(parents) in {2, 3}:
                after[y, x] = cells[y, x]
            elif cells[y, x] == EMPTY and len(parents) == 3:
                after[y, x] = min(set(parents), key=lambda c: (-parents.count(c), c))
    return after


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("..... ..1.. ..1.. ..1.. .....", "..... ..... .111. ..... ....."),
        (".... .11. .11. ....", ".... .11. .11. ...."),
        (".... .1.. .... ....", ".... .... .... ...."),
    ],
    ids=["blinker", "block", "alone"],
)
def test_the_rule(before, after):
    following = next_generation(world(*before.split()), EMPTY)
    assert following.tolist() == world(*after.split()).tolist()


def test_a_glider_comes_back_to_where_it_was_on_a_torus():
    start = cells = glider(8, 8, EMPTY, 3)
    for _ in range(4 * 8):
        cells = next_generation(cells, EMPTY)
    assert cells.tolist() == start.tolist()


def test_the_born_look_like_most_of_their_parents_or_the_lowest_colour():
    assert next_generation(world(".....", ".2.7.", "..7..", ".....", "....."), EMPTY)[1, 2] == 7
    assert next_generation(world(".....", ".9.7.", "..8..", ".....", "....."), EMPTY)[1, 2] == 7


@settings(deadline=None, max_examples=40)
@given(st.integers(3, 9), st.integers(3, 9), st.integers(0, 2**32))
def test_any_soup_lives_as_the_naive_rule_says(width, height, seed):
    cells = soup(width, height, EMPTY, [0, 1, 2], Random(seed))
    assert next_generation(cells, EMPTY).tolist() == naive(cells).tolist()


def test_the_same_seed_cooks_the_same_soup():
    def cook(seed):
        return soup(20, 20, EMPTY, [1, 2], Random(seed)).tolist()

    assert cook(4) == cook(4)
    assert cook(4) != cook(5)
    alive = (soup(200, 200, EMPTY, [1, 2], Random(1)) != EMPTY).mean()
    assert 0.28 < alive < 0.32
