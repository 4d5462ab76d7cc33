"""Palettes out of people's files: hex lists, Paint.NET's, GIMP's and Paint Shop Pro's, JSON, Pxls'.

Owns which format a file is, and the JSON; reads text, never files. Called by the server's
configuration and the command line. Anything that is not understood raises ValueError naming the
line or colour, and what helps.
"""

import json
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

from canvas import palette_conf, palette_lines
from canvas.palette import MAX_COLORS, Color, Palette
from canvas.palette_entries import Entry, colors_of


class Listed(NamedTuple):
    """What a file lists; it may be more than a palette takes."""

    colors: tuple[Color | None, ...]
    empty: int | None = None
    """The number of the colour that the file names as the empty one."""

    def palette(self) -> Palette:
        """Make a palette of all. Raises ValueError, with the count, for more than it takes."""
        if len(self.colors) > MAX_COLORS:
            raise ValueError(
                f"the palette has {len(self.colors)} colors and a board takes {MAX_COLORS};"
                f" remove {len(self.colors) - MAX_COLORS}"
            )
        return Palette.of(self.colors, self.empty)

    def only(self, numbers: Sequence[int]) -> Palette:
        """Make a palette of the colours with these numbers, in their order."""
        empty = numbers.index(self.empty) if self.empty in numbers else None
        return Palette.of([self.colors[number] for number in numbers], empty)


def parse(text: str, filename: str) -> Palette:
    """Read a palette; more colours than a board takes are refused, too."""
    return listed(text, filename).palette()


def listed(text: str, filename: str) -> Listed:
    """Read the colours; the format follows from the name's ending and the first characters."""
    text, name = text.removeprefix("\ufeff"), filename.lower()
    if name.endswith(".conf"):
        return _pxls(text)
    if name.endswith(".json") or text.lstrip().startswith(("{", "[")):
        return _from_json_text(text)
    if name.endswith(".gpl") or text.startswith(palette_lines.GPL_HEADER):
        return Listed(colors_of(palette_lines.gpl(text)))
    if text.startswith(palette_lines.JASC_HEADER):
        return Listed(colors_of(palette_lines.jasc(text)))
    return Listed(colors_of(palette_lines.hex_list(text)))


def _pxls(text: str) -> Listed:
    entries, background = palette_conf.read(text)
    colors = colors_of(entries)
    return Listed(colors, None if background is None else _number_of(background, colors))


def _number_of(name: str, colors: tuple[Color | None, ...]) -> int:
    for number, color in enumerate(colors):
        if color is not None and color.name == name:
            return number
    raise ValueError(f"backgroundColor is {name!r}; give the name of a color of the palette")


def _from_json_text(text: str) -> Listed:
    try:
        value = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise ValueError(f"the palette is no valid JSON: {error}") from error
    if not isinstance(value, dict):
        return Listed(colors_of(_json_entries(value)))
    empty = value.get("empty")
    if empty is not None and type(empty) is not int:
        raise ValueError(f"empty is {empty!r}; give the number of a color of the palette")
    colors = colors_of(_json_entries(value.get("palette", value.get("colors"))))
    if empty is not None and not (0 <= empty < len(colors) and colors[empty]):
        raise ValueError(f"empty color {empty} is not in the palette; give the number of a color")
    return Listed(colors, empty)


def _json_entries(value: Any) -> Iterator[Entry]:
    if not isinstance(value, list):
        raise ValueError("a palette is a list of colors: [{rgb, name} or null, …]")  # noqa: TRY004 - one kind of error for files
    for number, entry in enumerate(value):
        yield _json_entry(f"color {number}", entry)


def _json_entry(place: str, entry: Any) -> Entry:
    """Read `"#RRGGBB"`, `{rgb, name}`, Pxls' `{value, name}`, or null for a gap."""
    if entry is None or isinstance(entry, str):
        return Entry(place, entry)
    if isinstance(entry, dict):
        rgb, name = entry.get("rgb", entry.get("value")), entry.get("name", "")
        if isinstance(rgb, str) and isinstance(name, str):
            return Entry(place, rgb, name)
    raise ValueError(f"{place} of the palette is no color; write {{rgb: '#RRGGBB', name: 'red'}}")
