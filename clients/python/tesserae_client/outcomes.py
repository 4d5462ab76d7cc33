"""What can become of a placement: three values, none of them an exception.

Owns the outcomes and how the two forms of the wire are read into them; pure.
Called by the placement book and the client.
"""

from dataclasses import dataclass

from tesserae_client.messages import Json, strict
from tesserae_client.records import parts
from tesserae_client.wire import FOREVER_MS, Ack

REFUSALS = {
    1: "cooldown",
    2: "out-of-bounds",
    3: "bad-color",
    4: "locked",
    5: "banned",
    6: "spectator",
    7: "busy",
    8: "unknown-game",
    9: "rate",
    10: "ended",
    11: "masked",
    12: "stale-generation",
    13: "address-cooldown",
}
"""Status byte of an ack to the refusal's name; 0 is accepted."""

NO_SUCH_CELL = frozenset({"unknown-game", "stale-generation", "out-of-bounds"})
"""Refusals that echo the record, since there is no true colour to tell."""


@dataclass(frozen=True, slots=True)
class Placed:
    """Accepted, stored for good and seen by everyone from `seq` on."""

    seq: int
    x: int
    y: int
    """Where it is on the board of `seq`: growth since the placement has moved it along."""
    color: int
    left_ms: int
    """Until the next placement."""
    stack_left: int
    request: int
    index: int = 0


@dataclass(frozen=True, slots=True)
class Refused:
    """Not accepted; it cost nothing."""

    code: str
    x: int
    y: int
    color: int
    """What was asked for."""
    true_color: int | None
    """What the cell shows at `seq`; None when there is no such cell."""
    seq: int
    left_ms: int
    """What is left of the cooldown, ban or delay; -1 for ever."""
    request: int
    index: int = 0
    message: str = ""
    scope: str | None = None
    """The limit that refused, when the code alone does not say."""


@dataclass(frozen=True, slots=True)
class Unknown:
    """The line was cut before the answer, and it cannot be asked for any more."""

    x: int
    y: int
    color: int
    request: int
    index: int = 0


Outcome = Placed | Refused | Unknown
Cell = tuple[int, int, int]
"""x, y, color"""


def from_ack(ack: Ack, asked: Cell) -> Outcome:
    """Read a binary ack of the placement `asked`."""
    x, y, color = parts(ack.record)
    if ack.status == 0:
        return Placed(
            ack.seq, x, y, color, ack.left_ms, ack.stack_left, ack.request, ack.record_index
        )
    code = REFUSALS.get(ack.status, f"status-{ack.status}")
    true_color = None if code in NO_SUCH_CELL else color
    return Refused(code, *asked, true_color, ack.seq, ack.left_ms, ack.request, ack.record_index)


@strict
def from_reply(reply: Json, asked: Cell, request: int) -> Outcome | None:
    """Read the JSON reply to `place`; None when its error is no refusal of a placement."""
    if reply["ok"]:
        return Placed(
            seq=int(reply["seq"]),
            x=int(reply["x"]),
            y=int(reply["y"]),
            color=int(reply["color"]),
            left_ms=int(reply["cooldownLeftMs"]),
            stack_left=int(reply["stackLeft"]),
            request=request,
        )
    error = reply["error"]
    code = error["code"]
    if code not in _NAMES:
        return None
    true_color = None if code in NO_SUCH_CELL else error.get("color")
    left_ms = error.get("leftMs", error.get("retryAfterMs", 0))
    return Refused(
        code,
        *asked,
        true_color=true_color,
        seq=int(error.get("seq", 0)),
        left_ms=FOREVER_MS if left_ms is None else int(left_ms),
        request=request,
        message=str(error.get("message", "")),
        scope=error.get("scope"),
    )


_NAMES = frozenset(REFUSALS.values())
