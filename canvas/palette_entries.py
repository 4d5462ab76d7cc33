"""Colours as files list them: with their place, so that each mistake is told where it is.

Owns what any list of colours must keep: known spellings, names of bounded length, nothing twice.
Called by the readers of palette files.
"""

import re
from collections.abc import Iterable
from typing import NamedTuple

from canvas.palette import Color, named

MAX_LISTED = 256
"""Colours of one file; more than a palette takes, so that some may be chosen of them."""
_SHORT = re.compile(r"#?([0-9A-Fa-f])([0-9A-Fa-f])([0-9A-Fa-f])")


class Entry(NamedTuple):
    """One colour of a file; `rgb` is None where the palette has a gap."""

    place: str
    rgb: str | None
    name: str = ""


def colors_of(entries: Iterable[Entry]) -> tuple[Color | None, ...]:
    """Check the entries. Raises ValueError, naming the place, at the first of no use."""
    colors: list[Color | None] = []
    places: dict[str, str] = {}
    for place, rgb, name in entries:
        if len(colors) == MAX_LISTED:
            raise ValueError(f"{place} is one color too many; a file may list {MAX_LISTED}")
        color = None if rgb is None else _color(place, rgb, name)
        if color is not None:
            if color.rgb in places:
                raise ValueError(
                    f"{place} has {color.rgb}, as {places[color.rgb]} has; remove one of them"
                )
            places[color.rgb] = place
        colors.append(color)
    if not places:
        raise ValueError("the palette has no color; write one a line: #FF4500 red")
    return tuple(colors)


def _color(place: str, rgb: str, name: str) -> Color:
    try:
        return named(_SHORT.sub(r"\1\1\2\2\3\3", rgb) if _SHORT.fullmatch(rgb) else rgb, name)
    except ValueError as error:
        raise ValueError(f"{place}: {error}") from error
