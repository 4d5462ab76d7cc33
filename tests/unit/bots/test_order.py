"""Orders: each wanted cell once, and what an order promises."""

from random import Random
from typing import get_args

import numpy as np
import pytest

from bots.order import ORDERS, OrderName, order
from bots.target import UNTOUCHED

SQUARE = np.full((64, 64), 3, dtype=np.uint8)


def picture():
    colors = np.full((20, 30), 4, dtype=np.uint8)
    colors[5:15, 5:15] = 7
    colors[0, :] = UNTOUCHED
    return colors


@pytest.mark.parametrize("name", sorted(ORDERS))
def test_every_wanted_cell_once(name):
    indexes = order(name, picture(), Random(1))
    assert sorted(indexes) == list(range(30, 600))


def test_scan_goes_row_by_row():
    assert order("scan", picture(), Random(1)).tolist() == list(range(30, 600))


def test_chance_is_the_seed_s():
    def shuffled(seed):
        return order("random", picture(), Random(seed)).tolist()

    assert shuffled(1) == shuffled(1)
    assert shuffled(1) != shuffled(2)


@pytest.mark.parametrize("side", [2, 4, 8, 16, 32])
def test_spread_has_one_cell_in_every_square_before_a_second_in_any(side):
    first = order("spread", SQUARE, Random(1))[: (64 // side) ** 2]
    rows, columns = np.divmod(first, 64)
    assert len(set(zip(rows // side, columns // side, strict=True))) == first.size


def test_edges_come_before_areas():
    indexes = order("edges", picture(), Random(1))
    places = {int(index): place for place, index in enumerate(indexes)}
    assert places[5 * 30 + 5] < places[10 * 30 + 10]
    assert places[5 * 30 + 4] < places[10 * 30 + 20]


def test_a_picture_of_nothing():
    nothing = np.full((3, 3), UNTOUCHED, dtype=np.uint8)
    assert all(order(name, nothing, Random(1)).size == 0 for name in get_args(OrderName))
