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

    A fault of the store leaves the stage at READY and sets `reason`, for good or until it is back.
    """

    def __init__(self) -> None:
        self._away = ""
        self.stage = Stage.STARTING
        self.reason = "the board is being recovered; try again in a moment"
        self.retry_after_ms = 2_000

    def ready(self) -> None:
        """The board is recovered and placements are taken."""
        self.stage = Stage.READY
        self.reason = ""

    def impaired(self, reason: str) -> None:
        """Placements are not taken although watching goes on; `reason` tells the remedy."""
        self.reason = reason

    def store_away(self, reason: str) -> None:
        """Placements wait for the store, and are refused once too many wait."""
        if not self.reason:
            self._away = self.reason = reason

    def store_back(self) -> None:
        """The store takes placements again; what else stands in the way still does."""
        if self.reason == self._away:
            self.reason = ""
        self._away = ""

    def draining(self, retry_after_ms: int) -> None:
        """The server was told to stop and will be back in about `retry_after_ms`."""
        self.stage = Stage.DRAINING
        self.reason = "the server is restarting; come back in a moment"
        self.retry_after_ms = retry_after_ms

    @property
    def takes_placements(self) -> bool:
        """Whether `/readyz` says yes."""
        return self.stage is Stage.READY and not self.reason
