"""A head over a plain tail, and a placement that it accepts."""

from collections.abc import Sequence
from typing import Any

from canvas.board import Board
from canvas.cooldown import CooldownRule
from canvas.events import BaseImported, Event, PixelPlaced, Resized
from canvas.geometry import Geometry
from canvas.growth import Growth, Lineage
from canvas.head import Head
from canvas.palette import DEFAULT
from canvas.placement import Placement
from canvas.settings import Settings

PLACEMENT = Placement("a", "192.0.2.7", "home", 1, 2, 3, None, None, 0)


class PlainTail:
    """Applies events one by one, as a replica does many at once."""

    def __init__(self, width: int, height: int) -> None:
        self.board = Board(width, height)
        self.lineage = Lineage([Geometry(width, height)])
        self.empty = 15

    def apply(self, events: Sequence[Event]) -> None:
        for event in events:
            if isinstance(event, PixelPlaced):
                self.board.set(event.x, event.y, event.color)
            elif isinstance(event, Resized):
                growth = Growth.of(event)
                self.board = self.board.grown(growth, self.empty)
                self.lineage = self.lineage.append(growth)
            elif isinstance(event, BaseImported):
                assert event.laid is not None
                self.board.lay(event.laid)


def head_of(
    width: int = 7, height: int = 3, rule: CooldownRule | None = None, **options: Any
) -> tuple[Head, PlainTail]:
    tail = PlainTail(width, height)
    settings = Settings(DEFAULT, rule or CooldownRule(0))
    return Head(tail, settings, **options), tail
