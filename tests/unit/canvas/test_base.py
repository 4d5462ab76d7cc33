"""Pictures in their place: any size, place and depth, against a board of plain rows."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from canvas import base
from canvas.base import UNTOUCHED, LaidPicture
from canvas.board import Board
from canvas.events import PixelPlaced
from canvas.geometry import Geometry
from canvas.palette import DEFAULT, Palette
from tests.support.heads import PLACEMENT, head_of


def of(rows: list[list[int]], x: int, y: int, frame: Geometry) -> LaidPicture:
    return LaidPicture.of(np.array(rows, np.uint8), x, y, frame)


@given(data=st.data())
def test_a_picture_covers_its_cells_and_no_others(data: st.DataObject) -> None:
    width, height = data.draw(st.integers(1, 9)), data.draw(st.integers(1, 9))
    x, y = data.draw(st.integers(0, width - 1)), data.draw(st.integers(0, height - 1))
    shape = (data.draw(st.integers(1, height - y)), data.draw(st.integers(1, width - x)))
    seed = data.draw(st.integers(0, 1000))
    bits = data.draw(st.sampled_from([2, 4]))
    chance = np.random.default_rng(seed)
    highest = (1 << bits) - 1
    before = chance.integers(0, highest + 1, (height, width), dtype=np.uint8)
    picture = chance.integers(0, highest + 1, shape, dtype=np.uint8)
    picture[chance.random(shape) < 0.3] = UNTOUCHED
    board = Board(width, height, 0, bits)
    for (row, column), color in np.ndenumerate(before):
        board.set(column, row, int(color))
    board.lay(LaidPicture.of(picture, x, y, Geometry(width, height), bits))
    part = before[y : y + shape[0], x : x + shape[1]]
    part[picture != UNTOUCHED] = picture[picture != UNTOUCHED]
    assert (board.colors() == before).all()
    Board.from_packed(width, height, board.packed, bits)  # the padding is whole


def test_strips_join(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(base, "STRIP_ROWS", 4)
    cells = np.arange(13 * 7, dtype=np.uint8).reshape(13, 7) % 16
    board = Board(7, 15)
    board.lay(LaidPicture.of(cells, 0, 1, Geometry(7, 15)))
    assert (board.colors()[1:14] == cells).all()
    assert (board.colors()[[0, 14]] == 15).all()


@pytest.mark.parametrize(
    ("place", "words"),
    [
        ((-1, 0), "place it at x 0-6 and y 0-5"),
        ((7, 0), "2 x 3 at \\(7, 0\\) does not lie within the board of 8 x 8"),
        ((0, 6), "y 0-5"),
    ],
)
def test_a_picture_outside_is_refused_with_where_it_fits(
    place: tuple[int, int], words: str
) -> None:
    with pytest.raises(ValueError, match=words):
        of([[1, 1], [1, 1], [1, 1]], *place, Geometry(8, 8))


def test_a_picture_larger_than_the_board_is_refused() -> None:
    with pytest.raises(ValueError, match="smaller"):
        of([[1, 1, 1]], 0, 0, Geometry(2, 8))
    with pytest.raises(ValueError, match="no cells"):
        LaidPicture.of(np.empty((0, 3), np.uint8), 0, 0, Geometry(8, 8))


def test_a_color_of_too_many_bits_is_refused() -> None:
    with pytest.raises(ValueError, match="does not fit in 4 bits"):
        of([[16]], 0, 0, Geometry(8, 8))


def test_a_board_of_another_size_is_not_touched() -> None:
    board = Board(8, 8)
    with pytest.raises(ValueError, match="8 x 8"):
        board.lay(of([[1]], 0, 0, Geometry(8, 9)))
    assert board.crc32() == Board(8, 8).crc32()


def test_a_head_refuses_a_picture_for_an_older_frame_and_colors_it_lacks() -> None:
    head, _ = head_of(7, 3)
    laid = of([[1, UNTOUCHED]], 0, 0, head.geometry)
    palette = Palette.of([DEFAULT.colors[0], None, *DEFAULT.colors[2:]])
    head.change({"palette": palette.to_json()}, 0)
    with pytest.raises(ValueError, match="color 1, which the palette does not have; use 0, 2-15"):
        head.lay(laid, "blob", 0, "a", 0)
    head.change({"palette": DEFAULT.to_json()}, 0)
    head.resize("left", 1, None, 0)
    with pytest.raises(ValueError, match="has grown"):
        head.lay(laid, "blob", 0, "a", 0)
    assert head.seq == 3


def test_placements_before_a_picture_lie_under_it_and_later_ones_over_it() -> None:
    head, tail = head_of(7, 3)
    under = head.place(PLACEMENT._replace(x=0, y=0, color=4), 0, 0)
    aside = head.place(PLACEMENT._replace(x=6, y=2, color=5, user_id="b"), 0, 0)
    picture = head.lay(of([[1, UNTOUCHED]], 0, 0, head.geometry), "blob", 0, "op", 0)
    grown = head.resize("left", 2, None, 0)
    over = head.place(PLACEMENT._replace(x=2, y=0, color=9), 0, 0)
    assert isinstance(under, PixelPlaced)
    assert isinstance(aside, PixelPlaced)
    assert isinstance(over, PixelPlaced)
    assert over.previous == 1
    assert [head.color_at(x, y) for x, y in ((2, 0), (3, 0), (8, 2))] == [9, 15, 5]
    for event in (under, aside, picture, grown, over):
        tail.apply([event])
        head.settle([event])
        assert [head.color_at(x, y) for x, y in ((2, 0), (3, 0), (8, 2))] == [9, 15, 5]
    assert tail.board.get(2, 0) == 9
