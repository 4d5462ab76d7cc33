"""The colours of a game, by number, with names and a chosen empty one.

Owns what a palette may be and its JSON; palette_files.py reads it from people's files. A place of a
palette may be None: that colour is on the board perhaps, but refused. Used by settings and rules.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import groupby
from typing import Any

MAX_COLORS = 16
MAX_NAME_LENGTH = 64
WHITE = "#FFFFFF"
_RGB = re.compile(r"#[0-9A-F]{6}")


@dataclass(frozen=True, slots=True)
class Color:
    """One colour: `#RRGGBB` in capitals, and what people call it."""

    rgb: str
    name: str

    def __post_init__(self) -> None:
        if not _RGB.fullmatch(self.rgb):
            raise ValueError(f"{self.rgb!r} is no color; write it as #RRGGBB")
        if not 1 <= len(self.name) <= MAX_NAME_LENGTH or not self.name.isprintable():
            raise ValueError(
                f"{self.name!r} is no color name; use 1 to {MAX_NAME_LENGTH} printable characters"
            )


@dataclass(frozen=True, slots=True)
class Palette:
    """Up to sixteen colours; `empty` is the number of fresh cells and must be a colour."""

    colors: tuple[Color | None, ...]
    empty: int
    usable: frozenset[int] = field(init=False, repr=False, compare=False)
    """The numbers that may be placed."""
    hint: str = field(init=False, repr=False, compare=False)
    """The same for people: `0-15`, or `0-2, 4`."""

    def __post_init__(self) -> None:
        if not 1 <= len(self.colors) <= MAX_COLORS:
            raise ValueError(
                f"a palette of {len(self.colors)} colors is not possible; give 1 to {MAX_COLORS}"
            )
        usable = [number for number, color in enumerate(self.colors) if color is not None]
        object.__setattr__(self, "usable", frozenset(usable))
        object.__setattr__(self, "hint", _ranges(usable))
        if self.empty not in self.usable:
            raise ValueError(f"empty color {self.empty} is not in the palette; use {self.hint}")

    @classmethod
    def of(cls, colors: Sequence[Color | None], empty: int | None = None) -> "Palette":
        """Make a palette; unless said, the first white is its empty colour, or else the last."""
        if empty is None:
            usable = [number for number, color in enumerate(colors) if color is not None]
            white = [n for n in usable if _rgb(colors[n]) == WHITE]
            empty = (white or usable[-1:] or [0])[0]
        return cls(tuple(colors), empty)

    @property
    def rgb(self) -> list[str | None]:
        """`#RRGGBB` by number, None for a gap."""
        return [_rgb(color) for color in self.colors]

    def to_json(self) -> list[dict[str, str] | None]:
        """The protocol's form: `[{rgb, name} | null]`."""
        return [
            None if color is None else {"rgb": color.rgb, "name": color.name}
            for color in self.colors
        ]

    @classmethod
    def from_json(cls, value: Any, empty: int | None = None) -> "Palette":
        """Read the protocol's form; plain `"#RRGGBB"` texts are taken too. Raises ValueError."""
        if isinstance(value, list):
            return cls.of([_color(entry) for entry in value], empty)
        raise ValueError("a palette is a list of colors: [{rgb, name} or null, …]")


def named(rgb: str, name: str = "") -> Color:
    """Make a colour of any usual spelling of RRGGBB; without a name it is called by its number."""
    rgb = f"#{rgb.removeprefix('#').upper()}"
    return Color(rgb, name.strip() or rgb)


def _color(entry: Any) -> Color | None:
    if entry is None:
        return None
    if isinstance(entry, str):
        return named(entry)
    if isinstance(entry, dict) and isinstance(entry.get("rgb"), str):
        name = entry.get("name", "")
        if isinstance(name, str):
            return named(entry["rgb"], name)
    raise ValueError(f"{entry!r} is no color; write {{rgb: '#RRGGBB', name: 'red'}} or null")


def _rgb(color: Color | None) -> str | None:
    return None if color is None else color.rgb


def _ranges(numbers: Sequence[int]) -> str:
    """Write ascending numbers as ranges."""
    runs = [
        [number for _, number in run]
        for _, run in groupby(enumerate(numbers), lambda pair: pair[1] - pair[0])
    ]
    return ", ".join(str(run[0]) if len(run) == 1 else f"{run[0]}-{run[-1]}" for run in runs)


DEFAULT = Palette.of(
    [
        named("FF4500", "red"),
        named("FFA800", "orange"),
        named("FFD635", "yellow"),
        named("00A368", "dark green"),
        named("7EED56", "light green"),
        named("2450A4", "dark blue"),
        named("3690EA", "blue"),
        named("51E9F4", "light blue"),
        named("811E9F", "dark purple"),
        named("B44AC0", "purple"),
        named("FF99AA", "light pink"),
        named("9C6926", "brown"),
        named("000000", "black"),
        named("898D90", "gray"),
        named("D4D7D9", "light gray"),
        named("FFFFFF", "white"),
    ]
)
