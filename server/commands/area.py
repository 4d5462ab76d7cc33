"""Cells and parts of a board as a request names them, in array coordinates.

Owns the names of a part's corners, of which there are all or none, and the words of what is wrong
with them. Called by the commands `history` and `pixel`, and by HTTP for boards and pictures.
"""

from collections.abc import Sequence

from canvas.geometry import Geometry
from canvas.refusals import Refused
from canvas.region import Region
from server.commands.registry import Failed, bad_request

CORNERS = ("x1", "y1", "x2", "y2")


def area_of(corners: Sequence[int | None], frame: Geometry) -> Region | Failed | None:
    """Return the part that four corners name; None for none of them, which is the whole board."""
    missing = [name for name, value in zip(CORNERS, corners, strict=True) if value is None]
    given = [value for value in corners if value is not None]
    if not given:
        return None
    if missing:
        return bad_request(missing[0], f"is missing: an area needs all of {', '.join(CORNERS)}")
    try:
        region = Region(*given)
    except ValueError as error:
        return bad_request("x1", str(error))
    return beyond(frame, x2=region.x2, y2=region.y2) or region


def beyond(frame: Geometry, **cell: int) -> Failed | None:
    """Say which of two fields, x before y, lies outside of a board; None when neither does."""
    for (name, value), size in zip(cell.items(), (frame.width, frame.height), strict=True):
        if not 0 <= value < size:
            board = f"the board of {frame.width} x {frame.height}"
            text = f"{name}: {value} is not on {board}; give 0-{size - 1}"
            return Failed(Refused.OUT_OF_BOUNDS.code, text, {"field": name})
    return None
