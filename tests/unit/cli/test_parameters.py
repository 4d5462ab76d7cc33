"""Values of flags: what is no place and no region is told, however long it is."""

import click
import pytest

from canvas.region import Region
from server.cli.parameters import PlaceParameter, RegionParameter


def test_places_and_regions_are_read() -> None:
    assert PlaceParameter().convert("10, 20", None, None) == (10, 20)
    assert RegionParameter().convert("0,1, 2,3", None, None) == Region(0, 1, 2, 3)


LONG = "9" * 5000
WRONG = ["", ",", "1", "1,2,3", "-1,2", "1.5,2", "a,b", "٣,٣", "1,", f"{LONG},1"]


@pytest.mark.parametrize("text", WRONG)
def test_what_is_no_place_is_told(text: str) -> None:
    with pytest.raises(click.BadParameter, match="write X,Y such as"):
        PlaceParameter().convert(text, None, None)


@pytest.mark.parametrize("text", [*WRONG, f"0,0,{LONG},1"])
def test_what_is_no_region_is_told(text: str) -> None:
    with pytest.raises(click.BadParameter, match="write X1,Y1,X2,Y2 such as"):
        RegionParameter().convert(text, None, None)


def test_a_region_that_ends_before_it_begins_is_told() -> None:
    with pytest.raises(click.BadParameter, match="is no region"):
        RegionParameter().convert("5,5,1,1", None, None)
