"""Where the server stands between its start and its stop.

Owns one value, which lifecycle.py moves forward and the operator's log impairs; sessions, HTTP and
metrics read it. Never does anything about it by itself.
"""

from enum import Enum


class Stage(Enum):
    """The stages of a server's life, in order."""

    STARTING = "starting"
    """Listening, the board not recovered yet."""
    READY = "ready"
    DRAINING = "draining"
    """Told to stop: placements are refused, connections are about to be closed."""


class Phase:
    """The current stage; `reason` says in words why placements are not taken, empty if they are.

    A fault of the store leaves the stage at READY and gives a reason, for good or until it is back.
    """

    def __init__(self) -> None:
        self._standing = "the board is being recovered; try again in a moment"
        self._away: dict[str, str] = {}
        self.stage = Stage.STARTING
        self.retry_after_ms = 2_000

    @property
    def reason(self) -> str:
        """What stands in the way, in words, and what helps."""
        return self._standing or next(iter(self._away.values()), "")

    def ready(self) -> None:
        """The board is recovered and placements are taken."""
        self.stage = Stage.READY
        self._standing = ""

    def impaired(self, reason: str) -> None:
        """Placements are not taken although watching goes on; `reason` tells the remedy."""
        self._standing = reason

    def store_away(self, what: str, reason: str) -> None:
        """Placements wait for `what` of the store, and are refused once too many wait."""
        self._away[what] = reason

    def store_back(self, what: str) -> None:
        """That is there again; what else stands in the way still does."""
        self._away.pop(what, None)

    def draining(self, retry_after_ms: int) -> None:
        """The server was told to stop and will be back in about `retry_after_ms`."""
        self.stage = Stage.DRAINING
        self._standing = "the server is restarting; come back in a moment"
        self.retry_after_ms = retry_after_ms

    @property
    def takes_placements(self) -> bool:
        """Whether `/readyz` says yes."""
        return self.stage is Stage.READY and not self.reason
