"""Walks: always on the board, one colour a stretch, the same for the same seed."""

from dataclasses import replace
from itertools import islice, pairwise
from random import Random

from hypothesis import given, settings
from hypothesis import strategies as st
from tesserae_client import Client, Refused

from bots.walk import STRIDE, steps
from bots.way import Alone

sides = st.integers(1, 40)


@settings(deadline=None, max_examples=40)
@given(sides, sides, st.integers())
def test_a_walk_stays_on_the_board_and_goes_step_by_step(width, height, seed):
    path = list(steps(Random(seed), width, height, [2, 5]))
    assert len(path) == STRIDE
    assert all(0 <= x < width and 0 <= y < height for x, y, _ in path)
    assert len({color for _, _, color in path}) == 1
    assert all(abs(x - u) + abs(y - v) <= 1 for (x, y, _), (u, v, _) in pairwise(path))


def test_the_same_seed_walks_the_same_way():
    def path(seed):
        return list(islice(steps(Random(seed), 100, 100, [1, 2, 3]), 20))

    assert path(4) == path(4)
    assert path(4) != path(5)


async def test_a_walk_begins_anew_when_its_colour_is_no_more():
    begun: list[int] = []

    def play(_rng, _client):
        begun.append(len(begun))
        while True:
            yield 0, 0, begun[-1]

    async def cells():
        turn = await seat.turn(1)
        assert turn is not None
        return turn.cells

    seat = Alone(play).seat(Random(1), Client("ws://nowhere"))
    refused = Refused("bad-color", 0, 0, 0, true_color=1, seq=1, left_ms=0, request=1)
    assert await cells() == ((0, 0, 0),)
    seat.learn([replace(refused, code="cooldown")])
    assert await cells() == ((0, 0, 0),)
    seat.learn([refused])
    assert await cells() == ((0, 0, 1),)
