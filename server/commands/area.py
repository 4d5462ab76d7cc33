"""A part of a board as a request names it: four corners in array coordinates, all of them or none.

Owns the names of the corners and the words of what is wrong with them. Called by the command
`history`, and by HTTP for boards and pictures.
"""

from collections.abc import Sequence

from canvas.geometry import Geometry
from canvas.refusals import Refusal, Refused
from canvas.region import Region
from server.commands.registry import Failed, bad_request, refused

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
    if not frame.contains(region.x2, region.y2):
        text = f"the board is {frame.width} x {frame.height}; ask for a part of it"
        return refused(Refusal(Refused.OUT_OF_BOUNDS, text))
    return region
