"""Which cells placers of the load test place."""

from itertools import islice
from random import Random
from types import SimpleNamespace

import pytest
from tesserae_client.records import record

from bots.load.patterns import PLAYS, cells, share
from bots.load.plan import PLAYED, Picture

STATE = SimpleNamespace(width=30, height=20, colors=[1, 4, 15])
SEER = SimpleNamespace(game_state=STATE)


@pytest.mark.parametrize("pattern", sorted(PLAYS))
def test_a_pattern_stays_on_the_board_and_in_its_colours(pattern: str) -> None:
    placed = list(islice(cells(pattern, Random(1), SEER), 2000))
    assert len(placed) == 2000
    assert all(0 <= x < 30 and 0 <= y < 20 and color in STATE.colors for x, y, color in placed)


def test_the_same_seed_places_the_same() -> None:
    one, same = (list(islice(cells("random", Random(3), SEER), 50)) for _ in range(2))
    assert one == same


def test_who_waits_places_nothing() -> None:
    assert list(cells("idle", Random(1), SEER)) == []


def test_a_picture_is_dealt_out_and_begun_again() -> None:
    picture = Picture(generation=0, records=tuple(record(x, 0, 1) for x in range(5)))
    shares = [[cell[0] for cell in islice(share(picture, n, 2), 4)] for n in range(2)]
    assert shares == [[0, 2, 4, 0], [1, 3, 1, 3]]


def test_more_placers_than_cells_all_have_something_to_place() -> None:
    picture = Picture(generation=0, records=(record(1, 2, 3),))
    assert next(share(picture, 7, 9)) == (1, 2, 3)


def test_every_pattern_that_can_be_asked_for_is_played() -> None:
    assert {*PLAYS, "picture"} == set(PLAYED)
