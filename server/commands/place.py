"""`place`: the JSON form of a placement; answered once it is committed and published.

Coordinates are any integers: what lies outside of the board is a refusal and no bad request.
"""

from pydantic import Field

from server.commands.registry import Command, OnSession, Reply, Request, SessionCall
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


class Ack(Reply):
    """A placement that is committed and published, in coordinates of the current generation."""

    game: GameName
    request: int | None = None
    seq: int
    x: int
    y: int
    color: int
    generation: int
    cooldown_left_ms: int
    stack_left: int


def _place(call: SessionCall[Place]) -> None:
    session, asked = call.session, call.request
    placement = session.placement(
        asked.x, asked.y, asked.color, asked.generation, asked.request, index=0
    )
    session.placing.take_command(call.id, asked.game, placement)


COMMAND = Command("place", "Place one pixel", Place, Ack, OnSession(_place), prepaid=False)
