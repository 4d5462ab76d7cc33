"""A placement whose outcome is awaited, by somebody without a connection.

Owns one future. A wait that is given up leaves the placement as it is: what is decided is
committed. Made by the command `place` for HTTP.
"""

import asyncio

from canvas.events import PixelPlaced
from canvas.placement import Placement
from canvas.refusals import Refusal
from server.game.game import Game
from server.ports import Connection


class AwaitedPlacement:
    """Implements Asker for one placement."""

    __slots__ = ("_outcome", "connection")

    def __init__(self) -> None:
        self.connection: Connection | None = None
        self._outcome: asyncio.Future[PixelPlaced | Refusal] = (
            asyncio.get_running_loop().create_future()
        )

    async def submit(self, placement: Placement, game: Game) -> PixelPlaced | Refusal:
        """Ask for a pixel; an event is given once it is committed and published."""
        game.submit(placement, self)
        return await self._outcome

    @property
    def gone(self) -> bool:
        """Whether nobody waits any more."""
        return self._outcome.done()

    def accepted(self, event: PixelPlaced, _tag: object) -> None:
        """Take the event of an accepted placement."""
        if not self._outcome.done():
            self._outcome.set_result(event)

    def refused(self, refusal: Refusal, _placement: Placement, _tag: object) -> None:
        """Take a refusal."""
        if not self._outcome.done():
            self._outcome.set_result(refusal)
