"""What an import would do, told before it is done, and what it refuses by itself."""

import numpy as np
import pytest

from canvas.board import Board
from canvas.geometry import Geometry
from canvas.palette import DEFAULT, Palette, named
from canvas.palette_files import Listed
from pictures.picture import ignore
from server.cli.importing.plan import (
    Colors,
    Plan,
    Target,
    Unsuitable,
    choose,
    fitted,
    make_plan,
    new_target,
)
from tests.support.paintings import picture_of, pxls_board, pxls_colors

RED, ORANGE, WHITE, BLACK = "#FF4500", "#FFA800", "#FFFFFF", "#000000"


def target(*painted: tuple[int, int, int], palette: Palette = DEFAULT) -> Target:
    board = Board(6, 4, palette.empty)
    for x, y, color in painted:
        board.set(x, y, color)
    return Target("place#main", board, Geometry(6, 4), palette)


def plan(to: Target, rows: list[list[str | None]], x: int = 0, y: int = 0, **more: Palette) -> Plan:
    colors = Colors(more.get("palette", to.palette))
    return make_plan(to, picture_of(rows), colors, (x, y), dither=False, progress=ignore)


def test_cells_that_change_are_counted() -> None:
    made = plan(target((1, 1, 0)), [[RED, None, "#FF4501", WHITE]], 1, 1)
    assert made.cells.tolist() == [[0, 255, 0, 15]]
    assert (made.differing, made.matched.untouched, made.inexact) == (1, 1, 1)
    assert not made.sets_palette


def test_a_new_board_has_the_size_of_the_picture() -> None:
    picture = picture_of([[RED, WHITE, BLACK]])
    founded = new_target("place#main", picture, DEFAULT)
    assert (founded.geometry, founded.is_blank) == (Geometry(3, 1), True)
    made = make_plan(founded, picture, Colors(DEFAULT), (0, 0), dither=False, progress=ignore)
    assert made.differing == 3


def test_what_does_not_fit_is_told_with_where_it_would() -> None:
    with pytest.raises(Unsuitable, match=r"2 x 1 at \(5, 0\).*x 0-4 and y 0-3"):
        plan(target(), [[RED, RED]], 5, 0)


def test_a_picture_without_a_cell_to_take_is_refused() -> None:
    with pytest.raises(Unsuitable, match="no cell is taken"):
        plan(target(), [[None] * 6] * 4)
    assert plan(target(), [[None] * 5 + [WHITE]]).matched.untouched == 5


def test_a_palette_for_a_painted_board_needs_a_picture_that_covers_it() -> None:
    other = fitted(Palette.of([named(WHITE), named(RED)]), 15)
    with pytest.raises(Unsuitable, match="is painted on"):
        plan(target((5, 3, 1)), [[RED]], palette=other)
    with pytest.raises(Unsuitable, match="is painted on"):
        plan(target((5, 3, 1)), [[RED] * 5 + [None]] * 4, palette=other)
    whole = plan(target((5, 3, 1)), [[RED] * 6] * 4, palette=other)
    assert whole.sets_palette
    blank = plan(target(), [[RED]], palette=other)
    assert (blank.sets_palette, blank.differing) == (True, 1)


def test_the_empty_color_takes_the_number_that_the_board_is_blank_with() -> None:
    given = Palette.of([named(WHITE), named(RED), named(BLACK)])
    assert given.empty == 0
    for empty in (0, 1, 2, 5, 15):
        palette = fitted(given, empty)
        assert palette.empty == empty
        color = palette.colors[empty]
        assert color is not None
        assert color.rgb == WHITE
        usable = [color.rgb for color in palette.colors if color is not None]
        assert sorted(usable) == sorted([WHITE, RED, BLACK])
    full = Palette.of(DEFAULT.colors, 3)
    assert len(fitted(full, 15).colors) == 16


def test_a_palette_of_too_many_is_refused_with_the_count_unless_it_is_to_be_reduced() -> None:
    colors = pxls_colors()
    listed = Listed(tuple(named(rgb) for rgb in colors))
    picture = picture_of(pxls_board(colors))
    with pytest.raises(Unsuitable, match="has 32 colors, and a board takes 16; --reduce"):
        choose(listed, picture, None, reduce=False)
    chosen = choose(listed, picture, 15, reduce=True)
    assert len(chosen.palette.colors) == 16
    assert len(chosen.replaced) == 16
    empty = chosen.palette.colors[15]
    assert empty is not None
    assert empty.rgb == WHITE, "the board is blank with it"
    needed = choose(listed, picture_of([[colors[7], colors[8]]]), None, reduce=True)
    kept = {color.rgb for color in needed.palette.colors if color is not None}
    assert {colors[7], colors[8], WHITE} <= kept


def test_up_to_sixteen_stay_as_they_are() -> None:
    listed = Listed((named(RED), None, named(BLACK)), 2)
    chosen = choose(listed, picture_of([[RED]]), None, reduce=False)
    assert chosen == Colors(Palette.of([named(RED), None, named(BLACK)], 2))


def test_colors_that_nobody_may_place_are_not_chosen() -> None:
    palette = Palette.of([None, named(ORANGE), named(WHITE)])
    made = plan(target(palette=palette), [[RED]])
    assert np.unique(made.cells).tolist() == [1]
