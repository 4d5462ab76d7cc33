"""What an import would do: the picture in the board's colours, in its place, with all that changes.

Owns how a palette that comes with a picture is fitted to the board, and the refusals that need no
server. Changes nothing and reads no files. Called by `tesserae canvas import`.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from canvas.base import UNTOUCHED, check_place, check_taken, covers
from canvas.board import Board
from canvas.differing import differing
from canvas.geometry import MAX_SIDE, Geometry
from canvas.packing import Cells
from canvas.palette import MAX_COLORS, WHITE, Palette
from canvas.palette_files import Listed
from pictures.matching import Matched, match
from pictures.picture import Picture, Progress
from pictures.reducing import Replaced, reduced


class Unsuitable(ValueError):  # noqa: N818  # an answer for the person at the terminal
    """What was asked for is not possible; nothing was changed, and the text tells the remedy."""


@dataclass(frozen=True, slots=True)
class Target:
    """The board as it is now; without one the import founds it."""

    game: str
    board: Board | None
    geometry: Geometry
    palette: Palette
    epoch: str = ""

    @property
    def is_blank(self) -> bool:
        """Whether nothing is painted on it."""
        return self.board is None or self.board.is_blank(self.palette.empty)


@dataclass(frozen=True, slots=True)
class Colors:
    """The colours that an import goes by."""

    palette: Palette
    replaced: tuple[Replaced, ...] = ()
    """Those of a palette of too many that were not kept."""


@dataclass(frozen=True, slots=True)
class Plan:
    """An import that may be carried out."""

    target: Target
    x: int
    y: int
    matched: Matched
    palette: Palette
    replaced: tuple[Replaced, ...]
    differing: int
    """Cells of the board that will show another colour."""

    @property
    def cells(self) -> Cells:
        """The picture in numbers of the palette, of shape (height, width)."""
        return self.matched.cells

    @property
    def sets_palette(self) -> bool:
        """Whether the board's palette becomes another one."""
        return self.palette != self.target.palette

    @property
    def inexact(self) -> int:
        """Pixels that are shown in another colour than they have."""
        return self.matched.changed


def new_target(game: str, picture: Picture, palette: Palette) -> Target:
    """Describe the board that a picture founds. Raises Unsuitable when it is too large."""
    if max(picture.width, picture.height) > MAX_SIDE:
        raise Unsuitable(
            f"the picture is {picture.width} x {picture.height}, and a board's side is at most"
            f" {MAX_SIDE}; make it smaller"
        )
    return Target(game, None, Geometry(picture.width, picture.height), palette)


def choose(listed: Listed, picture: Picture, board_empty: int | None, *, reduce: bool) -> Colors:
    """Make a palette of what a file lists, fitted to the number that a board is blank with.

    More than a palette can have are reduced to those that the picture needs most, if that is
    wished. Raises Unsuitable with the count.
    """
    replaced: tuple[Replaced, ...] = ()
    if len(listed.colors) <= MAX_COLORS:
        palette = listed.palette()
    elif reduce:
        rgb = [None if color is None else color.rgb for color in listed.colors]
        reduction = reduced(rgb, MAX_COLORS, _counts(picture, rgb, listed.empty))
        palette, replaced = listed.only(reduction.kept), reduction.replaced
    else:
        raise Unsuitable(
            f"the palette has {len(listed.colors)} colors, and a board takes {MAX_COLORS};"
            " --reduce keeps those that the picture needs, and shows what becomes of the others"
        )
    return Colors(palette if board_empty is None else fitted(palette, board_empty), replaced)


def _counts(picture: Picture, rgb: Sequence[str | None], empty: int | None) -> list[int]:
    """How many pixels need each colour; a blank board, too, needs the empty one."""
    cells = match(picture, rgb).cells
    counts = [int(np.count_nonzero(cells == number)) for number in range(len(rgb))]
    if empty is None and WHITE in rgb:
        empty = rgb.index(WHITE)
    if empty is not None:
        counts[empty] += cells.size
    return counts


def fitted(palette: Palette, empty: int) -> Palette:
    """Give the empty colour the number that a board is blank with; the others keep their order."""
    if palette.empty == empty:
        return palette
    others = [color for number, color in enumerate(palette.colors) if number != palette.empty]
    others += [None] * (empty - len(others))
    others.insert(empty, palette.colors[palette.empty])
    return Palette.of(others, empty)


def check_fits(target: Target, picture: Picture, at: tuple[int, int]) -> None:
    """Raise Unsuitable unless the picture lies on the board."""
    try:
        check_place(picture.width, picture.height, *at, target.geometry)
    except ValueError as error:
        raise Unsuitable(str(error)) from error


def make_plan(
    target: Target,
    picture: Picture,
    colors: Colors,
    at: tuple[int, int],
    *,
    dither: bool,
    progress: Progress,
) -> Plan:
    """Match a picture to the colours and compare it with the board. Raises Unsuitable."""
    check_fits(target, picture, at)
    (x, y), palette = at, colors.palette
    try:
        matched = match(picture, palette.rgb, dither=dither, progress=progress)
        check_taken(matched.cells)
    except ValueError as error:
        raise Unsuitable(str(error)) from error
    plan = Plan(target, x, y, matched, palette, colors.replaced, 0)
    _check_palette(plan)
    return Plan(target, x, y, matched, palette, colors.replaced, _differing(plan))


def _check_palette(plan: Plan) -> None:
    target = plan.target
    if not plan.sets_palette or covers(plan.cells, target.geometry):
        return
    if not target.is_blank:
        raise Unsuitable(
            f"{target.game} is painted on, and the picture does not cover all of it: what stays"
            " would change color with the palette; import without --palette, or a picture that"
            " covers the whole board"
        )


def _differing(plan: Plan) -> int:
    board = plan.target.board
    if board is None:
        return int(np.count_nonzero(plan.cells != UNTOUCHED))
    return differing(board, plan.target.palette, plan.cells, plan.palette, plan.x, plan.y)
