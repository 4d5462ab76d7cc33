"""Refusals: plain answers with a code, never exceptions.

`Refused` lists them in the order in which they are tested; its `status` is the byte of a binary
ack and its value is the name in JSON. Tested against docs/reference/protocol.md.
"""

from dataclasses import dataclass
from enum import Enum


class Refused(Enum):
    """Why a placement was refused: (JSON name, ack status), in the order of the tests."""

    RATE = ("rate", 9)
    UNKNOWN_GAME = ("unknown-game", 8)
    SPECTATOR = ("spectator", 6)
    STALE_GENERATION = ("stale-generation", 12)
    OUT_OF_BOUNDS = ("out-of-bounds", 2)
    BAD_COLOR = ("bad-color", 3)
    ENDED = ("ended", 10)
    BANNED = ("banned", 5)
    LOCKED = ("locked", 4)
    MASKED = ("masked", 11)
    COOLDOWN = ("cooldown", 1)
    ADDRESS_COOLDOWN = ("address-cooldown", 13)
    BUSY = ("busy", 7)

    @property
    def code(self) -> str:
        """The name in JSON."""
        return self.value[0]

    @property
    def status(self) -> int:
        """The status byte of a binary ack."""
        return self.value[1]


ACCEPTED_STATUS = 0
FOREVER_MS = -1
"""`left_ms` of a refusal that time does not lift (a ban for good); all ones in a binary ack."""


@dataclass(frozen=True, slots=True)
class Refusal:
    """A placement that was not accepted; it cost nothing."""

    why: Refused
    message: str
    left_ms: int = 0
    """What is left of the cooldown, ban or retry delay, in ms; `FOREVER_MS` for ever."""
    scope: str | None = None
    """Which bucket or limit refused, when the code alone does not say."""
