import pytest
from hypothesis import given
from hypothesis import strategies as st

from canvas.events import Resized
from canvas.geometry import MAX_SIDE, Geometry
from canvas.growth import DIRECTIONS, Growth, Lineage, grow

STEPS = st.lists(st.tuples(st.sampled_from(DIRECTIONS), st.integers(1, 9)), max_size=6)


@pytest.mark.parametrize(
    ("direction", "growth"),
    [
        ("left", Growth(1, 13, 5, 3, 0)),
        ("right", Growth(1, 13, 5, 0, 0)),
        ("up", Growth(1, 10, 8, 0, 3)),
        ("down", Growth(1, 10, 8, 0, 0)),
        ("expand", Growth(1, 16, 11, 3, 3)),
    ],
)
def test_directions(direction: str, growth: Growth) -> None:
    assert grow(Geometry(10, 5), direction, 3) == growth


@pytest.mark.parametrize(
    ("width", "direction", "growth"),
    [
        (7990, "left", Growth(1, MAX_SIDE, 5, 10, 0)),
        (7990, "right", Growth(1, MAX_SIDE, 5, 0, 0)),
        (7990, "expand", Growth(1, MAX_SIDE, 205, 5, 100)),
        (7999, "expand", Growth(1, MAX_SIDE, 205, 0, 100)),
        (MAX_SIDE, "left", Growth(1, MAX_SIDE, 5, 0, 0)),
    ],
)
def test_the_cap_clamps(width: int, direction: str, growth: Growth) -> None:
    assert grow(Geometry(width, 5), direction, 100) == growth


@pytest.mark.parametrize(
    ("direction", "amount", "message"),
    [
        ("sideways", 1, "use one of left, right, up, down, expand"),
        ("left", 0, "give a positive number"),
        ("left", -5, "give a positive number"),
    ],
)
def test_bad_growths_are_refused(direction: str, amount: int, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        grow(Geometry(10, 5), direction, amount)


@pytest.mark.parametrize("size", [(0, 5), (5, 0), (8001, 5), (5, 8001), (-1, 5)])
def test_impossible_sizes_are_refused(size: tuple[int, int]) -> None:
    with pytest.raises(ValueError, match="each side must be 1 to 8000"):
        Geometry(*size)
    with pytest.raises(ValueError, match="generation -1"):
        Geometry(1, 1, generation=-1)


def test_a_geometry_knows_its_cells() -> None:
    geometry = Geometry(7, 3)
    assert geometry.cells == 21
    assert [geometry.contains(*cell) for cell in [(0, 0), (6, 2), (7, 2), (6, 3), (-1, 0)]] == [
        True,
        True,
        False,
        False,
        False,
    ]


def grown_by(steps: list[tuple[str, int]]) -> Lineage:
    lineage = Lineage([Geometry(5, 4)])
    for direction, amount in steps:
        lineage = lineage.append(grow(lineage.geometry, direction, amount))
    return lineage


@given(STEPS)
def test_an_original_position_stays_the_same_through_every_growth(
    steps: list[tuple[str, int]],
) -> None:
    lineage = grown_by(steps)
    for frame in lineage.frames:
        x, y = lineage.translate(2, 3, frame.generation)
        now = lineage.geometry
        assert (x - now.offset_x, y - now.offset_y) == (2 - frame.offset_x, 3 - frame.offset_y)
        assert now.contains(x, y)


@given(STEPS)
def test_a_lineage_survives_json(steps: list[tuple[str, int]]) -> None:
    lineage = grown_by(steps)
    assert Lineage.from_json(lineage.to_json()).frames == lineage.frames


def test_unknown_generations() -> None:
    lineage = Lineage([Geometry(5, 4, 1, 0, 3), Geometry(9, 4, 2, 0, 4)])
    assert [lineage.size_in(generation) for generation in (2, 3, 4, 5, -1)] == [
        None,
        (5, 4),
        (9, 4),
        None,
        None,
    ]
    with pytest.raises(ValueError, match="generation 2 is not known; the board has 3 to 4"):
        lineage.translate(0, 0, 2)


@pytest.mark.parametrize(
    "after",
    [
        Geometry(6, 4, generation=2),
        Geometry(4, 4, generation=1),
        Geometry(5, 3, generation=1),
        Geometry(6, 4, offset_x=2, generation=1),
        Geometry(6, 4, offset_x=-1, generation=1),
        Geometry(5, 6, offset_y=3, generation=1),
    ],
)
def test_frames_that_do_not_follow_are_refused(after: Geometry) -> None:
    with pytest.raises(ValueError, match="a board only ever grows"):
        Lineage([Geometry(5, 4), after])


def test_a_lineage_needs_a_frame() -> None:
    with pytest.raises(ValueError, match="at least one frame"):
        Lineage([])


def test_a_growth_is_read_from_its_event() -> None:
    event = Resized(9, 1000, 2, 20, 10, 4, 3, 4, 0, "wide")
    assert Growth.of(event) == Growth(2, 20, 10, 4, 0)
