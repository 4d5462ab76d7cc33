"""What a placement is answered in JSON: the ack of an accepted one, the details of a refusal.

Owns their fields, which are the same in a reply over WebSocket and over HTTP. Pure. Called by
placing.py and by the command `place`; what a refusal tells of time, by all commands.
"""

from typing import Any, NamedTuple

from canvas.events import PixelPlaced
from canvas.placement import Placement
from canvas.refusals import FOREVER_MS, Refusal, Refused
from server.game.game import Game

_LIFTED_BY_TIME = frozenset((Refused.COOLDOWN, Refused.ADDRESS_COOLDOWN, Refused.BANNED))
_WORTH_A_RETRY = frozenset((Refused.RATE, Refused.BUSY))


class Cell(NamedTuple):
    """A cell as an answer tells it: array coordinates of the published generation."""

    seq: int
    x: int
    y: int
    color: int


def published(game: Game | None, placement: Placement) -> Cell:
    """Tell the true colour of the cell; what was sent is echoed when there is no such cell."""
    if game is None:
        return Cell(0, placement.x, placement.y, placement.color)
    replica, lineage = game.replica, game.replica.lineage
    generation = placement.generation
    if generation is None:
        generation = lineage.geometry.generation
    size = lineage.size_in(generation)
    if size is None or not (0 <= placement.x < size[0] and 0 <= placement.y < size[1]):
        return Cell(replica.seq, placement.x, placement.y, placement.color)
    x, y = lineage.translate(placement.x, placement.y, generation)
    return Cell(replica.seq, x, y, replica.board.get(x, y))


def moved(event: PixelPlaced, game: Game) -> tuple[int, int]:
    """Tell where an accepted pixel is now; a re-sent one may be of an older generation."""
    lineage = game.replica.lineage
    if event.generation == lineage.geometry.generation:
        return event.x, event.y
    return lineage.translate(event.x, event.y, event.generation)


def ack_fields(event: PixelPlaced, game: Game) -> dict[str, Any]:
    """Answer an accepted placement that is published."""
    x, y = moved(event, game)
    stack, left_ms = game.standing(event.user_id)
    return {
        "game": game.name,
        **({} if event.request is None else {"request": event.request}),
        "seq": event.seq,
        "x": x,
        "y": y,
        "color": event.color,
        "generation": game.replica.generation,
        "cooldownLeftMs": left_ms,
        "stackLeft": stack,
    }


def refusal_fields(refusal: Refusal, placement: Placement, game: Game | None) -> dict[str, Any]:
    """Tell what goes beside the code and message of a refused placement."""
    cell = published(game, placement)
    return {"seq": cell.seq, "color": cell.color, **wait_fields(refusal)}


def wait_fields(refusal: Refusal) -> dict[str, Any]:
    """Tell what lifts a refusal: the time to wait, and which limit it was."""
    fields: dict[str, Any] = {}
    if refusal.why in _WORTH_A_RETRY:
        fields["retryAfterMs"] = refusal.left_ms
    elif refusal.why in _LIFTED_BY_TIME or refusal.left_ms:
        fields["leftMs"] = None if refusal.left_ms == FOREVER_MS else refusal.left_ms
    if refusal.scope is not None:
        fields["scope"] = refusal.scope
    return fields
