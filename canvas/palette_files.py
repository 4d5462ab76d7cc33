"""Palettes out of people's files: hex lists, GIMP's .gpl, JSON.

Owns the three formats; reads text, never files. Called by the server's configuration. Anything that
is not understood raises ValueError naming the line and what helps.
"""

import json
import re
from collections.abc import Iterator

from canvas.palette import Color, Palette, named

GPL_HEADER = "GIMP Palette"
HIGHEST = 255
_GPL_COLOR = re.compile(r"\s*(\d{1,3})\s+(\d{1,3})\s+(\d{1,3})(?:\s+(.*))?")
_HEX = re.compile(r"#?[0-9A-Fa-f]{6}")
_BETWEEN = re.compile(r"[\s,;]+")


def parse(text: str, filename: str) -> Palette:
    """Read a palette; the format follows from the name's ending and the first line.

    Raises ValueError for what is no palette, and for more than sixteen colours.
    """
    text = text.removeprefix("\ufeff")
    if filename.lower().endswith(".json"):
        return _from_json_text(text)
    if filename.lower().endswith(".gpl") or text.startswith(GPL_HEADER):
        return Palette.of(list(_gpl_colors(text)))
    return Palette.of(list(_hex_colors(text)))


def _from_json_text(text: str) -> Palette:
    try:
        value = json.loads(text)
    except ValueError as error:
        raise ValueError(f"the palette is no valid JSON: {error}") from error
    if not isinstance(value, dict):
        return Palette.from_json(value)
    empty = value.get("empty")
    if empty is not None and type(empty) is not int:
        raise ValueError(f"empty is {empty!r}; give the number of a color of the palette")
    return Palette.from_json(value.get("palette", value.get("colors")), empty)


def _gpl_colors(text: str) -> Iterator[Color]:
    lines = text.splitlines()
    if not lines or lines[0].strip() != GPL_HEADER:
        raise ValueError(f"a .gpl palette begins with the line {GPL_HEADER!r}")
    for number, line in enumerate(lines[1:], start=2):
        if not line.strip() or line.lstrip().startswith(("#", "Name:", "Columns:")):
            continue
        found = _GPL_COLOR.fullmatch(line)
        if found is None or any(int(part) > HIGHEST for part in found.group(1, 2, 3)):
            raise ValueError(f"line {number} of the palette is no color; write: 255 69 0 red")
        red, green, blue = (int(part) for part in found.group(1, 2, 3))
        yield named(f"{red:02X}{green:02X}{blue:02X}", _gpl_name(found.group(4)))


def _gpl_name(name: str | None) -> str:
    return "" if name is None or name.strip() == "Untitled" else name


def _hex_colors(text: str) -> Iterator[Color]:
    """Read lines of `RRGGBB name`, or of several colours; `;` and `//` begin a comment line."""
    for number, line in enumerate(text.splitlines(), start=1):
        line_text = line.strip()
        if not line_text or line_text.startswith((";", "//")):
            continue
        words = [word for word in _BETWEEN.split(line_text) if word]
        if not words or not _HEX.fullmatch(words[0]):
            raise ValueError(f"line {number} of the palette is no color; write: #FF4500 red")
        yield from _of_line(words, line_text)


def _of_line(words: list[str], line: str) -> Iterator[Color]:
    """Tell several colours from one with a name: `#FF0000 facade` is one, as `facade` has no #."""
    hashed = words[0].startswith("#")
    if all(_HEX.fullmatch(word) and word.startswith("#") == hashed for word in words):
        yield from (named(word) for word in words)
    else:
        yield named(words[0], line[len(words[0]) :].strip(" \t,;"))
