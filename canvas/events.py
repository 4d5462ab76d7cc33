"""Numbered events: the only things that change a board.

Owns the types that the game decides, the journal keeps, the replica applies and the wire tells.
Every event carries its `seq` and `at_ms` (wall clock, milliseconds, never running backwards).
Positions are array coordinates in the event's `generation` unless a name says `original`.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from canvas.base import LaidPicture


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


@dataclass(frozen=True, slots=True)
class BaseImported:
    """A picture was laid over the board; its cells are a blob of their own."""

    seq: int
    at_ms: int
    generation: int
    x: int
    y: int
    width: int
    height: int
    blob: str
    """Key of the blob that holds the cells."""
    crc32: int
    """Of the cells, one byte each."""
    user_id: str
    laid: LaidPicture | None = field(default=None, compare=False, repr=False)
    """The cells, where the event is to be applied; history and the wire do without them."""

    @classmethod
    def of(
        cls, laid: LaidPicture, blob: str, crc32: int, *, seq: int, at_ms: int, user_id: str
    ) -> "BaseImported":
        """Number a picture that is in its place."""
        height, width = laid.cells.shape
        generation = laid.frame.generation
        return cls(
            seq, at_ms, generation, laid.x, laid.y, width, height, blob, crc32, user_id, laid
        )


ControlEvent = Resized | SettingsChanged | BaseImported
"""Barriers: committed alone, never inside a pixels frame."""
Event = PixelPlaced | ControlEvent
