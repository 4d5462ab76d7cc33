"""Numbered events: the only things that change a board.

Owns the types that the game decides, the journal keeps, the replica applies and the wire tells.
Every event carries its `seq` and `at_ms` (wall clock, milliseconds, never running backwards).
Positions are array coordinates in the event's `generation` unless a name says `original`.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple


class PixelPlaced(NamedTuple):
    """One accepted placement; a tuple, since one is made for every placement of the hot path."""

    seq: int
    at_ms: int
    x: int
    y: int
    color: int
    generation: int
    offset_x: int
    """The global offset when it was placed: `x_original = x - offset_x`."""
    offset_y: int
    previous: int
    """The colour that was there before, decided ones included."""
    user_id: str
    address_key: str
    """A keyed hash of the address; the address itself is never kept."""
    request: int | None
    """The client's request number (u32), when it gave one."""
    index: int  # type: ignore[assignment]  # hides tuple.index, which nobody needs of it
    """The record's place in its frame."""
    cost_ms: int
    """The cooldown that this placement cost."""


@dataclass(frozen=True, slots=True)
class Resized:
    """The board grew; what was at (x, y) is now at (x + shift_x, y + shift_y)."""

    seq: int
    at_ms: int
    generation: int
    """The generation that begins here."""
    width: int
    height: int
    offset_x: int
    offset_y: int
    shift_x: int
    shift_y: int
    label: str | None = None


@dataclass(frozen=True, slots=True)
class SettingsChanged:
    """Some settings of a game changed; keys are the protocol's names, values are JSON."""

    seq: int
    at_ms: int
    changes: Mapping[str, Any]


ControlEvent = Resized | SettingsChanged
"""Barriers: committed alone, never inside a pixels frame."""
Event = PixelPlaced | Resized | SettingsChanged
