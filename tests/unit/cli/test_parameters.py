"""Values of flags: what is no place and no region is told, however long it is."""

import click
import pytest

from canvas.region import Region
from server.care.restore.point import Point
from server.cli.parameters import PlaceParameter, PointParameter, RegionParameter
from server.cli.store_copy import StoreParameter


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


def test_a_point_is_a_number_or_a_moment() -> None:
    read = PointParameter().convert
    assert read("41877", None, None) == Point(seq=41877)
    assert read("999999999999", None, None) == Point(seq=999_999_999_999)
    assert read("1764525600000", None, None) == Point(at_ms=1_764_525_600_000)
    assert read("2025-11-30T18:00:00Z", None, None) == Point(at_ms=1_764_525_600_000)
    assert read("2025-11-30T19:00:00+01:00", None, None) == Point(at_ms=1_764_525_600_000)


@pytest.mark.parametrize("text", ["", "last", "1.5", "٣", "2025-13-01", LONG, "1_000", "12 "])
def test_what_is_no_point_is_told(text: str) -> None:
    with pytest.raises(click.BadParameter, match="is no number of the history"):
        PointParameter().convert(text, None, None)


@pytest.mark.parametrize(
    ("text", "place"),
    [
        ("embedded", {"store": "embedded"}),
        ("embedded:a/b:c", {"store": "embedded", "data": "a/b:c"}),
        ("aws", {"store": "aws"}),
        ("aws:prod", {"store": "aws", "stage": "prod"}),
        ("aws:prod/one", {"store": "aws", "stage": "prod", "bucket": "one"}),
    ],
)
def test_stores_are_read(text: str, place: dict[str, str]) -> None:
    assert StoreParameter().convert(text, None, None) == place


@pytest.mark.parametrize("text", ["", "data", "embedded:", "aws:", "aws:/b", "aws:a/", "s3:a"])
def test_what_is_no_store_is_told(text: str) -> None:
    with pytest.raises(click.BadParameter, match="write embedded:DIR"):
        StoreParameter().convert(text, None, None)
