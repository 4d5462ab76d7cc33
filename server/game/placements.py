"""Rows of history as people ask for them: one placement, in today's coordinates.

Owns the names that the command `history` and the exports share, and which rows are placements.
Pure.
"""

from typing import Any

from canvas.geometry import Geometry
from persistence.ports import Item
from server.game.history import at_ms_of_key, is_control


def is_placement(item: Item) -> bool:
    """Whether a row is a placement with a seq of its own."""
    return not is_control(item) and "seq" in item


def placement_entry(item: Item, geometry: Geometry) -> dict[str, Any]:
    """Tell a placement; x and y are where its cell lies in `geometry`."""
    original_x, original_y = item["x_original"], item["y_original"]
    return {
        "seq": item["seq"],
        "at": at_ms_of_key(item["SK"]),
        "x": original_x + geometry.offset_x,
        "y": original_y + geometry.offset_y,
        "original": (original_x, original_y),
        "color": item["colorIndex"],
        "previous": item["previous"],
        "by": item["userId"],
    }
