"""Kinds of values that flags take: a place on a board, a part of it, a moment.

Owns how they are written, and the check that a part lies on the board, once that is known.
"""

import re
from typing import Any

import click

from canvas.geometry import Geometry
from canvas.region import Region
from server.care.restore.point import Point

SIZE_FORM = re.compile(r"([0-9]{1,5})x([0-9]{1,5})")
AXES = 2
CORNERS = 4
_NUMBER = re.compile(r"-?[0-9]{1,9}", re.ASCII)
"""Long enough for any board; of very long ones Python refuses to make a number."""


class PlaceParameter(click.ParamType[tuple[int, int]]):
    """A place on a board such as 10,20."""

    name = "place"

    def convert(
        self, value: Any, param: click.Parameter | None, ctx: click.Context | None
    ) -> tuple[int, int]:
        """Read the text; fails with what would be accepted."""
        if isinstance(value, tuple):
            return value
        numbers = _numbers(value)
        if len(numbers) != AXES or min(numbers) < 0:
            self.fail(f"{value!r} is no place on a board; write X,Y such as 10,20", param, ctx)
        x, y = numbers
        return x, y


class SizeParameter(click.ParamType[tuple[int, int]]):
    """The size of a board such as 960x540."""

    name = "size"

    def convert(
        self, value: Any, param: click.Parameter | None, ctx: click.Context | None
    ) -> tuple[int, int]:
        """Read the text; fails with what would be accepted."""
        if isinstance(value, tuple):
            return value
        match = SIZE_FORM.fullmatch(str(value))
        if match is None:
            self.fail(f"{value!r} is no size; write WIDTHxHEIGHT such as 960x540", param, ctx)
        return int(match[1]), int(match[2])


class RegionParameter(click.ParamType[Region]):
    """A part of a board such as 10,20,99,49: its first and its last cell."""

    name = "region"

    def convert(
        self, value: Any, param: click.Parameter | None, ctx: click.Context | None
    ) -> Region:
        """Read the text; fails with what would be accepted."""
        if isinstance(value, Region):
            return value
        numbers = _numbers(value)
        if len(numbers) != CORNERS:
            self.fail(f"{value!r} is no region; write X1,Y1,X2,Y2 such as 10,20,99,49", param, ctx)
        try:
            return Region(*numbers)
        except ValueError as error:
            self.fail(str(error), param, ctx)


def _numbers(value: object) -> list[int]:
    """Return whole numbers between commas; none when anything else is there."""
    words = [word.strip() for word in str(value).split(",")]
    return [int(word) for word in words] if all(map(_NUMBER.fullmatch, words)) else []


class MomentParameter(click.ParamType[int]):
    """A moment in ms since 1970 or ISO 8601; ms once it is read."""

    name = "moment"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> int:
        """Read the text; fails with what would be accepted."""
        # Loaded only when it is needed, so that help comes at once.
        from server.commands.moment import moment_ms  # noqa: PLC0415

        try:
            return moment_ms(value)
        except ValueError as error:
            self.fail(str(error), param, ctx)


class PointParameter(click.ParamType[Point]):
    """A number of the history, or a moment; numbers of 13 digits are ms since 1970."""

    name = "point"

    def convert(
        self, value: Any, param: click.Parameter | None, ctx: click.Context | None
    ) -> Point:
        """Read the text; fails with what would be accepted."""
        if isinstance(value, Point):
            return value
        if re.fullmatch(r"-?[0-9]{1,12}", value, re.ASCII):
            return Point(seq=int(value))
        try:
            return Point(at_ms=MomentParameter().convert(value, param, ctx))
        except click.UsageError as error:
            self.fail(f"{value!r:.100} is no number of the history, and {error}", param, ctx)


def check_region(region: Region | None, geometry: Geometry) -> Region:
    """Return the part, or the whole board for None. Raises UsageError when it lies outside."""
    if region is None:
        return geometry.whole
    if not geometry.contains(region.x2, region.y2):
        raise click.UsageError(
            f"--region ends at {region.x2},{region.y2}, but the board is {geometry.width} x"
            f" {geometry.height}: its last cell is {geometry.width - 1},{geometry.height - 1}"
        )
    return region
