"""`place`: the JSON form of a placement; answered once it is committed and published.

Coordinates are any integers: what lies outside of the board is a refusal and no bad request.
"""

from pydantic import Field

from server.commands.registry import Call, Command, Outcome, Request
from server.commands.watching import GameName

MAX_U32 = 2**32 - 1


class Place(Request):
    """One cell and its colour."""

    game: GameName
    x: int
    y: int
    color: int
    generation: int | None = Field(default=None, ge=0, le=MAX_U32)
    """The generation that x and y are meant in; None is the current one."""
    request: int | None = Field(default=None, ge=0, le=MAX_U32)


def _place(call: Call[Place]) -> Outcome:
    session, asked = call.session, call.request
    placement = session.placement(
        asked.x, asked.y, asked.color, asked.generation, asked.request, index=0
    )
    session.placing.take_command(call.id, asked.game, placement)
    return None


COMMAND = Command("place", "Place one pixel", Place, _place, prepaid=False)
