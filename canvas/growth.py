"""How a board grows, and how positions of older generations are carried over.

Owns the arithmetic of growth in every direction, its clamping to the cap, and the chain of frames
that a board has had. Never touches colours: board.py grows the cells. Called by the head, by the
replica and by recovery.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from canvas.events import Resized
from canvas.geometry import MAX_SIDE, Geometry

DIRECTIONS = ("left", "right", "up", "down", "expand")


@dataclass(frozen=True, slots=True)
class Growth:
    """A step to a new generation: the size after it, and where the old (0, 0) lies in it."""

    generation: int
    """The generation that begins here."""
    width: int
    height: int
    shift_x: int
    shift_y: int

    @classmethod
    def of(cls, event: Resized) -> "Growth":
        """Read the step out of a numbered event."""
        return cls(event.generation, event.width, event.height, event.shift_x, event.shift_y)


def grow(geometry: Geometry, direction: str, amount: int) -> Growth:
    """Plan a growth by `amount` cells on a side (on each, for `expand`), clamped to the cap.

    A side that reaches the cap grows by what is left, by nothing in the end; where `expand` has
    no room for both sides, they share it. Raises ValueError for an unknown direction or an
    amount that is not positive.
    """
    if direction not in DIRECTIONS:
        raise ValueError(f"direction {direction!r} is unknown; use one of {', '.join(DIRECTIONS)}")
    if amount <= 0:
        raise ValueError(f"a board cannot grow by {amount}; give a positive number of cells")
    left, right = _sides(geometry.width, amount, direction, "left", "right")
    up, down = _sides(geometry.height, amount, direction, "up", "down")
    return Growth(
        generation=geometry.generation + 1,
        width=geometry.width + left + right,
        height=geometry.height + up + down,
        shift_x=left,
        shift_y=up,
    )


def _sides(side: int, amount: int, direction: str, before: str, after: str) -> tuple[int, int]:
    room = MAX_SIDE - side
    if direction == "expand":
        first = min(amount, room // 2)
        return first, min(amount, room - first)
    amount = min(amount, room)
    return amount * (direction == before), amount * (direction == after)


class Lineage:
    """The frames of a board, generation after generation; immutable.

    Raises ValueError when a frame does not follow from the one before.
    """

    __slots__ = ("_dates_from", "frames", "geometry")

    def __init__(self, frames: Iterable[Geometry]) -> None:
        self.frames = tuple(frames)
        """Oldest kept frame first, the current one last."""
        if not self.frames:
            raise ValueError("a lineage needs at least one frame; give the current geometry")
        for before, after in zip(self.frames, self.frames[1:], strict=False):
            _check_step(before, after)
        self.geometry = self.frames[-1]
        self._dates_from = self.frames[0].generation

    def append(self, growth: Growth) -> "Lineage":
        """Take one more step. Raises ValueError when it does not begin the next generation."""
        return Lineage((*self.frames, _grown(self.geometry, growth)))

    def frame(self, generation: int) -> Geometry | None:
        """Frame of a generation; None when it is newer than ours or no longer known."""
        place = generation - self._dates_from
        return self.frames[place] if 0 <= place < len(self.frames) else None

    def size_in(self, generation: int) -> tuple[int, int] | None:
        """Width and height in a generation; None when it is not known."""
        frame = self.frame(generation)
        return None if frame is None else (frame.width, frame.height)

    def translate(self, x: int, y: int, generation: int) -> tuple[int, int]:
        """Move a position of a known generation to the current one.

        Raises ValueError when the generation is not known.
        """
        frame = self.frame(generation)
        if frame is None:
            raise ValueError(
                f"generation {generation} is not known;"
                f" the board has {self._dates_from} to {self.geometry.generation}"
            )
        now = self.geometry
        return x + now.offset_x - frame.offset_x, y + now.offset_y - frame.offset_y

    def to_json(self) -> list[list[int]]:
        """Every frame as [generation, width, height, offset_x, offset_y], oldest first."""
        return [[f.generation, f.width, f.height, f.offset_x, f.offset_y] for f in self.frames]

    @classmethod
    def from_json(cls, value: Sequence[Sequence[Any]]) -> "Lineage":
        """Read what `to_json` wrote. Raises ValueError when it does not hold together."""
        return cls(
            Geometry(width, height, offset_x, offset_y, generation)
            for generation, width, height, offset_x, offset_y in value
        )


def _grown(geometry: Geometry, growth: Growth) -> Geometry:
    """Make the frame that a growth leads to."""
    return Geometry(
        growth.width,
        growth.height,
        geometry.offset_x + growth.shift_x,
        geometry.offset_y + growth.shift_y,
        growth.generation,
    )


def _step(before: Geometry, after: Geometry) -> Growth:
    return Growth(
        after.generation,
        after.width,
        after.height,
        after.offset_x - before.offset_x,
        after.offset_y - before.offset_y,
    )


def _check_step(before: Geometry, after: Geometry) -> None:
    step = _step(before, after)
    fits = (
        step.generation == before.generation + 1
        and 0 <= step.shift_x <= after.width - before.width
        and 0 <= step.shift_y <= after.height - before.height
    )
    if not fits:
        raise ValueError(f"{after} does not follow from {before}: a board only ever grows")
