"""Pictures that are decided and not yet published, over the placements decided before each.

Owns which colour lies under the newest placements of a head while the tail is behind by a base
picture, which it is for some milliseconds. Called by the head alone.
"""

from collections import deque

from canvas.base import LaidPicture
from canvas.events import PixelPlaced

CELL_SHIFT = 20
"""Original positions lie within +-8000, so that x leaves the bits of y alone."""

Overlay = dict[int, PixelPlaced]
"""The newest pending placement of each cell, by `cell_key`: growth moves none."""


def cell_key(x_original: int, y_original: int) -> int:
    """Join an original position, negative ones too, into one key."""
    return (y_original << CELL_SHIFT) + x_original


class Layers:
    """From the oldest pending picture to the newest; there is hardly ever one."""

    __slots__ = ("_layers",)

    def __init__(self) -> None:
        self._layers: deque[tuple[LaidPicture, Overlay]] = deque()

    def __len__(self) -> int:
        return len(self._layers)

    def push(self, laid: LaidPicture, under: Overlay) -> None:
        """Lay a picture over everything, also over the placements that were on top."""
        self._layers.append((laid, under))

    def pop(self) -> None:
        """Let go of the oldest picture, which the tail has now."""
        self._layers.popleft()

    def oldest(self, top: Overlay) -> Overlay:
        """The placements that are published next; `top` when no picture is before them."""
        return self._layers[0][1] if self._layers else top

    def color_at(self, x_original: int, y_original: int) -> int | None:
        """Colour that all of this gives a cell; None where the tail's shows."""
        for laid, under in reversed(self._layers):
            color = laid.color_at(x_original, y_original)
            if color is not None:
                return color
            event = under.get(cell_key(x_original, y_original))
            if event is not None:
                return event.color
        return None
