"""Rows of history as people ask for them: one placement, in today's coordinates.

Owns what the commands `history` and `pixel` and the exports share: the names, which rows are
placements that count, and where an area of today lay on the first board. Pure.
"""

from typing import Any

from canvas.geometry import Geometry
from canvas.region import Region
from persistence.ports import Item, Rectangle
from server.game.history import at_ms_of_key, is_control
from server.game.writers import Writers


def is_placement(item: Item) -> bool:
    """Whether a row is a placement with a seq of its own."""
    return not is_control(item) and "seq" in item


def is_published(item: Item, seq: int, writers: Writers) -> bool:
    """Whether a row is a placement that was published by `seq`.

    No row is that superseded writers left, whatever their numbers are.
    """
    return not is_control(item) and writers.published(item, seq)


def lies_in(area: Rectangle | None, item: Item) -> bool:
    """Whether a placement is of an area in original coordinates; None is everywhere."""
    return area is None or area.contains(item["x_original"], item["y_original"])


def original_area(region: Region, geometry: Geometry) -> Rectangle:
    """Move a part of the board into the frame of the very first one."""
    left, top = geometry.offset_x, geometry.offset_y
    return Rectangle(region.x1 - left, region.y1 - top, region.x2 - left, region.y2 - top)


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
