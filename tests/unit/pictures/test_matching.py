"""The nearest colour, the tally of changes, and dithering."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from pictures import bands, dithering, matching, oklab
from pictures.choice import UNTOUCHED, Choice, keys_of, rgb_of
from pictures.matching import Change, Matched, match
from pictures.picture import Picture, PictureError

RED, WHITE, BLACK, BLUE = "#FF0000", "#FFFFFF", "#000000", "#0000FF"


def picture(*rows: str) -> Picture:
    """A picture of words like `FF0000` or `FF000080`, with alpha."""
    lines = [[word.ljust(8, "F") for word in row.split()] for row in rows]
    flat = b"".join(bytes.fromhex(word) for line in lines for word in line)
    return Picture(np.frombuffer(flat, np.uint8).reshape(len(lines), -1, 4).copy())


def gray(level: int, side: int) -> Picture:
    rgba = np.full((side, side, 4), 255, np.uint8)
    rgba[..., :3] = level
    return Picture(rgba)


def test_exact_colors_keep_their_numbers() -> None:
    matched = match(picture("FF0000 FFFFFF", "000000 FF0000"), [BLACK, None, WHITE, RED])
    assert matched.cells.tolist() == [[3, 2], [0, 3]]
    assert (matched.exact, matched.changed, matched.changes) == (4, 0, ())


def test_others_take_the_nearest_and_are_told_by_count() -> None:
    matched = match(picture("FE0101 FE0101 0000F0 FF0000"), [RED, WHITE, BLUE])
    assert matched.cells.tolist() == [[0, 0, 2, 0]]
    assert matched.changes == (Change("#FE0101", 0, RED, 2), Change("#0000F0", 2, BLUE, 1))
    assert (matched.exact, matched.changed, matched.changed_colors) == (1, 3, 2)


def test_the_nearest_is_what_the_eye_sees() -> None:
    """By plain numbers this dark blue is nearer to black; it is seen as blue."""
    assert match(picture("00007F"), [BLACK, BLUE]).cells[0, 0] == 1


def test_equal_colors_give_way_to_the_first() -> None:
    assert match(picture("FF0000 FE0000"), [None, RED, RED]).cells.tolist() == [[1, 1]]


@pytest.mark.parametrize("dither", [False, True])
def test_transparent_pixels_are_left(dither: bool) -> None:
    seen = match(picture("FF00007F FF000080 FF000000 FF0000FF"), [WHITE, RED], dither=dither)
    assert seen.cells.tolist() == [[UNTOUCHED, 1, UNTOUCHED, 1]]
    assert (seen.untouched, seen.half_transparent, seen.exact) == (2, 2, 2)


def test_a_palette_needs_a_color() -> None:
    with pytest.raises(PictureError, match="no color to choose"):
        match(picture("FF0000"), [None, None])


def naive(pixels: Picture, palette: list[str]) -> list[list[int]]:
    labs = oklab.from_rgb(rgb_of(palette)).T

    def nearest(rgb: np.ndarray) -> int:
        lab = oklab.from_rgb(rgb[None, :3])[:, 0]
        return int(((labs - lab) ** 2).sum(axis=1).argmin())

    return [[nearest(pixel) for pixel in row] for row in pixels.rgba]


PALETTE = ["#FF4500", "#FFA800", "#00A368", "#2450A4", "#000000", "#898D90", "#FFFFFF"]
PIXELS = arrays(np.uint8, st.tuples(st.integers(1, 5), st.integers(1, 5), st.just(4)))


@settings(max_examples=15, deadline=None)
@given(PIXELS)
def test_any_picture_agrees_with_a_naive_search(rgba: np.ndarray) -> None:
    rgba[..., 3] = 255
    pixels = Picture(rgba)
    assert match(pixels, list(PALETTE)).cells.tolist() == naive(pixels, PALETTE)


@settings(max_examples=15, deadline=None)
@given(PIXELS, st.booleans())
def test_every_pixel_is_counted(rgba: np.ndarray, dither: bool) -> None:
    matched = match(Picture(rgba), list(PALETTE), dither=dither)
    assert matched.exact + matched.changed + matched.untouched == matched.cells.size
    assert sum(change.count for change in matched.changes) == matched.changed
    assert len({change.from_rgb for change in matched.changes}) == matched.changed_colors


def test_bands_change_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    rgba = np.random.default_rng(5).integers(0, 256, (40, 9, 4), np.uint8)
    whole = [match(Picture(rgba), list(PALETTE), dither=dither) for dither in (False, True)]
    monkeypatch.setattr(bands, "PIXELS_AT_ONCE", 30)
    monkeypatch.setattr(dithering, "CELLS_AT_ONCE", 30)
    monkeypatch.setattr(matching, "COLORS_AT_ONCE", 7)
    for dither, expected in zip((False, True), whole, strict=True):
        same(match(Picture(rgba), list(PALETTE), dither=dither), expected)


def same(one: Matched, other: Matched) -> None:
    assert np.array_equal(one.cells, other.cells)
    assert one.changes == other.changes


def test_only_the_most_frequent_colors_are_listed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(matching, "MAX_LISTED", 1)
    matched = match(picture("FE0000 FD0000 FD0000"), [RED])
    assert [change.from_rgb for change in matched.changes] == ["#FD0000"]
    assert matched.changed_colors == 2


def test_progress_ends_with_the_whole() -> None:
    for dither in (False, True):
        told: list[float] = []
        match(gray(100, 40), [BLACK, WHITE], dither=dither, progress=told.append)
        assert told == sorted(told)
        assert told[-1] == pytest.approx(1)


@pytest.mark.parametrize("level", [60, 128, 188, 230])
def test_dithered_gray_is_as_light_as_before(level: int) -> None:
    matched = match(gray(level, 64), [BLACK, WHITE], dither=True)
    lightness = oklab.from_rgb(np.array([[level] * 3], np.uint8))[0, 0]
    assert matched.cells.mean() == pytest.approx(lightness, abs=0.01)


def test_what_no_mix_reaches_does_not_run_into_the_next_area() -> None:
    rgba = np.full((64, 64, 4), 255, np.uint8)
    rgba[:32, :, 1:3] = 0
    rgba[32:, :, :3] = 128
    grays = [BLACK, WHITE, "#404040", "#BBBBBB"]
    below = match(Picture(rgba), grays, dither=True).cells[40:]
    alone = match(Picture(rgba[32:].copy()), grays, dither=True).cells[8:]
    assert np.bincount(below.ravel(), minlength=4) == pytest.approx(
        np.bincount(alone.ravel(), minlength=4), abs=20
    )


def slow_dither(pixels: Picture, choice: Choice) -> list[list[int]]:
    """Floyd and Steinberg's, pixel by pixel."""
    rows, columns = pixels.height, pixels.width
    wanted = np.zeros((3, rows + 1, columns + 2))
    lab = oklab.from_rgb(pixels.rgba[..., :3].reshape(-1, 3))
    wanted[:, :-1, 1:-1] = lab.reshape(3, rows, columns)
    lowest, highest = (limit[:, 0] for limit in dithering._reach(choice.lab))
    keys, palette = keys_of(pixels.rgba), choice.keys.tolist()
    cells = np.full((rows, columns), UNTOUCHED)
    for y, x in np.ndindex(rows, columns):
        if pixels.rgba[y, x, 3] < 128:
            continue
        if int(keys[y, x]) in palette:
            cells[y, x] = palette.index(int(keys[y, x]))
            continue
        seen = wanted[:, y, x + 1].clip(lowest, highest)
        best = oklab.nearest(seen[:, None], choice.lab)[0]
        cells[y, x] = best
        missed = seen - choice.lab[:, best]
        for down, right, share in ((0, 1, 7), (1, -1, 3), (1, 0, 5), (1, 1, 1)):
            wanted[:, y + down, x + 1 + right] += missed * (share / 16)
    return cells.tolist()


@settings(max_examples=15, deadline=None)
@given(PIXELS)
def test_diagonals_agree_with_pixel_by_pixel(rgba: np.ndarray) -> None:
    pixels = Picture(rgba)
    matched = match(pixels, list(PALETTE), dither=True)
    assert matched.cells.tolist() == slow_dither(pixels, Choice.of(PALETTE))


def test_dithering_keeps_exact_pixels_among_others() -> None:
    rgba = gray(128, 8).rgba.copy()
    rgba[4] = [255, 0, 0, 255]
    matched = match(Picture(rgba), [BLACK, WHITE, RED], dither=True)
    assert set(matched.cells[4].tolist()) == {2}
    assert len(np.unique(np.delete(matched.cells, 4, axis=0))) > 1


@pytest.mark.parametrize(
    ("rgb", "lab"),
    [
        ("#FFFFFF", (1.0, 0.0, 0.0)),
        ("#000000", (0.0, 0.0, 0.0)),
        ("#FF0000", (0.62796, 0.22486, 0.12585)),
        ("#00FF00", (0.86644, -0.23389, 0.17950)),
        ("#0000FF", (0.45201, -0.03246, -0.31153)),
    ],
)
def test_oklab_of_known_colors(rgb: str, lab: tuple[float, ...]) -> None:
    """As CSS Color 4 has them."""
    assert oklab.from_rgb(rgb_of([rgb]))[:, 0] == pytest.approx(lab, abs=1e-4)
