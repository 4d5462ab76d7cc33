"""`place`: one pixel in JSON, answered once it is committed and published.

Coordinates are any integers: what lies outside of the board is a refusal and no bad request. Over a
WebSocket the answer comes later and other messages pass it; over HTTP it is awaited.
"""

import asyncio
from http import HTTPStatus

from canvas.placement import Placement
from canvas.refusals import Refusal, Refused
from server.commands.registry import (
    U32,
    Call,
    Command,
    Done,
    Failed,
    Http,
    OnSession,
    Outcome,
    Reply,
    Request,
    SessionCall,
    refused,
)
from server.commands.watching import GameName, find
from server.game.game import Game
from server.session.answers import ack_fields, refusal_fields
from server.session.awaited import AwaitedPlacement
from server.session.services import Services

LONGEST_WAIT = 20.0
"""Seconds; less than proxies wait for an answer. Commits take milliseconds, while the store is
there."""
RETRY_MS = 5_000


class Place(Request):
    """One cell and its colour."""

    game: GameName
    x: int
    y: int
    color: int
    generation: U32 | None = None
    """The generation that x and y are meant in; the current one when it is left out."""
    request: U32 | None = None
    """Drawn at random for each placement: sent again, it gets the first outcome again."""


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


async def _place_and_wait(call: Call[Place]) -> Outcome:
    caller, asked = call.caller, call.request
    game = await find(caller.services, asked.game)
    if isinstance(game, Failed):
        _count(caller.services, _why(game))
        return game
    placement = caller.placement(
        asked.x, asked.y, asked.color, asked.generation, asked.request, index=0
    )
    try:
        async with asyncio.timeout(LONGEST_WAIT):
            outcome = await AwaitedPlacement().submit(placement, game)
    except TimeoutError:
        _count(caller.services, Refused.BUSY)
        return _unknown_yet()
    if isinstance(outcome, Refusal):
        return _refused(caller.services, outcome, placement, game)
    caller.services.metrics.accepted += 1
    return Done(ack_fields(outcome, game))


def _refused(services: Services, refusal: Refusal, placement: Placement, game: Game) -> Failed:
    _count(services, refusal.why)
    fields = refusal_fields(refusal, placement, game)
    return Failed(refusal.why.code, refusal.message, fields)


def _why(failed: Failed) -> Refused:
    return next(why for why in Refused if why.code == failed.code)


def _count(services: Services, why: Refused) -> None:
    services.metrics.refused[why] += 1


def _unknown_yet() -> Failed:
    text = (
        "the store takes its time, and the pixel may still come; send the same request number "
        "again to learn what became of it"
    )
    return refused(Refusal(Refused.BUSY, text, RETRY_MS))


COMMAND = Command(
    "place",
    "Place one pixel",
    Place,
    Ack,
    OnSession(_place),
    Http(
        "POST",
        "/api/games/{game}/pixels",
        status=HTTPStatus.CREATED,
        handler=_place_and_wait,
        needs_token=True,
        shows_cooldown=True,
        on_refused=lambda services, refusal: _count(services, refusal.why),
    ),
    prepaid=False,
)
