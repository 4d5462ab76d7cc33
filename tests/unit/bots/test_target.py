"""A shared target: no cell twice, what is wrong is found again, hopeless cells are given up."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tesserae_client import Placed, Refused, Unknown

from bots.target import UNTOUCHED, Claim, Target, View
from bots.way import Cell


def colors_of(*rows):
    return np.array(
        [[UNTOUCHED if c == "." else int(c, 16) for c in row] for row in rows], np.uint8
    )


def target_of(*rows, at=(0, 0)):
    colors = colors_of(*rows)
    return Target(colors, at, np.flatnonzero(colors != UNTOUCHED))


def board(width, height, color=15):
    return np.full((height, width), color, dtype=np.uint8)


def view(colors, *, offset=(0, 0), seq=0, epoch="e1", generation=0):
    return View(colors, offset, seq, epoch, generation)


def taken(target, most):
    """The cells of a claim, and none without one."""
    claim = target.take(most)
    return [] if claim is None else list(claim.cells)


def placed(cell: Cell, seq: int) -> Placed:
    x, y, color = cell
    return Placed(seq, x, y, color, left_ms=0, stack_left=0, request=1)


def refused(cell: Cell, code: str) -> Refused:
    x, y, color = cell
    return Refused(code, x, y, color, true_color=15, seq=1, left_ms=0, request=1)


def test_each_cell_is_given_once_in_order_and_right_ones_never():
    target = target_of("1.2", "3f4", at=(1, 1))
    target.look(view(board(5, 5)))
    assert (target.total, target.left, target.outside) == (5, 4, 0)
    assert taken(target, 2) == [(1, 1, 1), (3, 1, 2)]
    assert taken(target, 9) == [(1, 2, 3), (3, 2, 4)]
    assert taken(target, 9) == []
    assert target.idle
    assert not target.done


def test_nothing_is_given_before_the_first_look():
    assert target_of("1").take(1) is None


def test_a_placed_cell_stays_claimed_until_the_board_shows_its_number():
    target, shown = target_of("1"), board(1, 1)
    target.look(view(shown, seq=4))
    claim = target.take(1)
    target.learn(claim.indexes[0], placed(claim.cells[0], 5))
    target.look(view(shown, seq=4))
    assert taken(target, 1) == []
    assert not target.done
    shown[0, 0] = 1
    target.look(view(shown, seq=5))
    assert target.done


def test_what_others_overwrite_is_given_again():
    target, shown = target_of("12"), board(2, 1)
    shown[:] = [[1, 2]]
    target.look(view(shown))
    assert target.done
    shown[0, 1] = 7
    target.look(view(shown, seq=9))
    assert taken(target, 5) == [(1, 0, 2)]


def test_what_somebody_else_has_done_meanwhile_is_not_given():
    target, shown = target_of("1234"), board(4, 1)
    target.look(view(shown))
    shown[0, :3] = [1, 2, 3]
    assert taken(target, 1) == [(3, 0, 4)]


def test_a_long_stretch_that_is_right_already_is_passed_over():
    colors = np.full((100, 100), 3, dtype=np.uint8)
    target, shown = Target(colors, (0, 0), np.arange(10_000)), board(100, 100)
    target.look(view(shown))
    shown[:] = 3
    shown[99, 99] = 1
    assert taken(target, 2) == [(99, 99, 3)]


@pytest.mark.parametrize("outcome", [refused((0, 0, 1), "cooldown"), Unknown(0, 0, 1, request=1)])
def test_a_cell_that_was_not_placed_is_given_again(outcome):
    target, shown = target_of("1"), board(1, 1)
    target.look(view(shown))
    claim = target.take(1)
    target.learn(claim.indexes[0], outcome)
    target.look(view(shown))
    assert target.take(1) == claim


def test_a_cell_whose_bot_is_gone_is_given_again():
    target, shown = target_of("1"), board(1, 1)
    target.look(view(shown))
    claim = target.take(1)
    target.release(claim.indexes[0])
    target.look(view(shown))
    assert target.take(1) == claim


@pytest.mark.parametrize("code", ["masked", "out-of-bounds", "bad-color"])
def test_a_hopeless_cell_is_dropped_and_counted_once(code):
    target, shown = target_of("12"), board(2, 1)
    target.look(view(shown))
    claim = target.take(2)
    target.learn(0, refused(claim.cells[0], code))
    target.learn(1, placed(claim.cells[1], 1))
    shown[0, 1] = 2
    target.look(view(shown, seq=1))
    assert target.done
    assert target.dropped == {code: 1}
    assert target.total == 1
    target.aim(colors_of(".."))
    target.look(view(shown, seq=1))
    assert (target.left, target.total) == (0, 0), "it is dropped no more than once"


def test_growth_moves_the_picture_with_the_board():
    target, shown = target_of("12", at=(0, 0)), board(2, 1)
    target.look(view(shown))
    assert taken(target, 1) == [(0, 0, 1)]
    target.look(view(board(4, 3), offset=(2, 1), generation=1))
    assert target.take(9) == Claim((1,), ((3, 1, 2),), 1)


def test_what_lies_beyond_the_board_waits_for_its_growth():
    target = target_of("123", at=(-1, 0))
    target.look(view(board(1, 1)))
    assert (target.outside, target.total) == (2, 1)
    assert taken(target, 9) == [(0, 0, 2)]
    target.look(view(board(2, 1), offset=(1, 0)))
    assert (target.outside, target.total) == (1, 2)
    assert taken(target, 9) == [(0, 0, 1)]
    target.look(view(board(3, 1), offset=(1, 0)))
    assert taken(target, 9) == [(2, 0, 3)]


def test_a_picture_wholly_beyond_the_board():
    target = target_of("11", at=(50, 50))
    target.look(view(board(4, 4)))
    assert (target.outside, target.total, target.done) == (2, 0, True)


def test_a_history_that_was_replaced_ends_the_claims_of_the_old_one():
    target = target_of("1")
    target.look(view(board(1, 1), seq=90))
    claim = target.take(1)
    target.learn(claim.indexes[0], placed(claim.cells[0], 91))
    target.look(view(board(1, 1), seq=3, epoch="e2"))
    assert target.take(1) == claim


def test_another_aim():
    target, shown = target_of("12"), board(2, 1)
    target.look(view(shown))
    target.aim(colors_of("f3"))
    target.look(view(shown))
    assert taken(target, 9) == [(1, 0, 3)]
    assert target.shown().tolist() == [[15, 15]]
    with pytest.raises(ValueError, match="cannot become"):
        target.aim(colors_of("1"))


cells = st.tuples(st.integers(0, 3), st.integers(0, 3), st.sampled_from([1, 2, 15]))


@settings(deadline=None, max_examples=60)
@given(st.lists(st.tuples(st.sampled_from(["bot", "other", "look", "cut"]), cells), max_size=60))
def test_in_any_order_of_events_bots_never_share_a_cell_and_the_end_is_reached(events):
    target, shown, seq = target_of("12.1", "2121", ".f12", "1111"), board(4, 4), 0
    held: list[Claim] = []
    for event, (x, y, color) in [*events, *[("look", (0, 0, 15)), ("bot", (0, 0, 15))] * 40]:
        if event == "look":
            target.look(view(shown, seq=seq))
        elif event == "other":
            shown[y, x], seq = color, seq + 1
        elif event == "cut" and held:
            target.release(held.pop().indexes[0])
        elif event == "bot":
            if (claim := target.take(1)) is not None:
                held.append(claim)
            assert len(set(held)) == len(held)
            if held and color != 2:
                claim = held.pop(0)
                (cell,), seq = claim.cells, seq + 1
                shown[cell[1], cell[0]] = cell[2]
                target.learn(claim.indexes[0], placed(cell, seq))
    target.look(view(shown, seq=seq))
    assert target.done
