"""Palettes of one colour a line: hex lists, Paint.NET's, GIMP's and Paint Shop Pro's.

Owns these formats; palette_entries.py owns what any list must keep. Called by palette_files.py.
Anything that is not understood raises ValueError naming the line and what helps.
"""

import re
from collections.abc import Iterator

from canvas.palette_entries import Entry

GPL_HEADER = "GIMP Palette"
JASC_HEADER = "JASC-PAL"
JASC_LINES = 3
"""Header, version and the count of colours."""
HIGHEST = 255
_NUMBERS = re.compile(r"\s*(\d{1,3})\s+(\d{1,3})\s+(\d{1,3})(?:\s+(.*))?")
_HEX = re.compile(r"#?[0-9A-Fa-f]{6}")
_ALPHA_HEX = re.compile(r"([0-9A-Fa-f]{2})([0-9A-Fa-f]{6})(?:\s*;.*)?")
_BETWEEN = re.compile(r"[\s,;]+")
_COMMENT = (";", "//")


def gpl(text: str) -> Iterator[Entry]:
    """Read GIMP's .gpl: lines of `255 69 0 red` below a head."""
    lines = text.splitlines()
    if not lines or lines[0].strip() != GPL_HEADER:
        raise ValueError(f"a .gpl palette begins with the line {GPL_HEADER!r}")
    for number, line in enumerate(lines[1:], start=2):
        if line.strip() and not line.lstrip().startswith(("#", "Name:", "Columns:")):
            yield _of_numbers(number, line, "255 69 0 red")


def jasc(text: str) -> Iterator[Entry]:
    """Read Paint Shop Pro's .pal: three lines of head, then lines of `255 69 0`."""
    for number, line in enumerate(text.splitlines(), start=1):
        if number > JASC_LINES and line.strip():
            yield _of_numbers(number, line, "255 69 0")


def hex_list(text: str) -> Iterator[Entry]:
    """Read lines of `RRGGBB name`, of several colours, or Paint.NET's `AARRGGBB`.

    `;` and `//` begin a comment line.
    """
    for number, line in enumerate(text.splitlines(), start=1):
        if line.strip() and not line.lstrip().startswith(_COMMENT):
            yield from _of_hex(number, line.strip())


def _of_numbers(number: int, line: str, example: str) -> Entry:
    found = _NUMBERS.fullmatch(line)
    if found is None or any(int(part) > HIGHEST for part in found.group(1, 2, 3)):
        raise ValueError(f"line {number} of the palette is no color; write: {example}")
    red, green, blue = (int(part) for part in found.group(1, 2, 3))
    name = (found.group(4) or "").strip()
    rgb = f"{red:02X}{green:02X}{blue:02X}"
    return Entry(f"line {number}", rgb, "" if name == "Untitled" else name)


def _of_hex(number: int, line: str) -> Iterator[Entry]:
    """Tell several colours from one with a name: `#FF0000 facade` is one, as `facade` has no #."""
    place = f"line {number}"
    if with_alpha := _ALPHA_HEX.fullmatch(line):
        yield from _of_alpha(place, *with_alpha.groups())
        return
    words = [word for word in _BETWEEN.split(line) if word]
    if not words or not _HEX.fullmatch(words[0]):
        raise ValueError(f"{place} of the palette is no color; write: #FF4500 red")
    hashed = words[0].startswith("#")
    if all(_HEX.fullmatch(word) and word.startswith("#") == hashed for word in words):
        yield from (Entry(place, word) for word in words)
    else:
        yield Entry(place, words[0], line[len(words[0]) :].strip(" \t,;"))


def _of_alpha(place: str, alpha: str, rgb: str) -> Iterator[Entry]:
    """Take opaque colours; clear ones are Paint.NET's free slots."""
    if alpha.upper() == "FF":
        yield Entry(place, rgb)
    elif alpha != "00":
        raise ValueError(f"{place} is half transparent ({alpha}{rgb}); begin it with FF")
