"""One client of the load test over all its lines: it arrives, stays, comes back, and leaves.

Owns when lines are opened, with the library's rules of coming back; what is said on a line is the
follower's. Called by the worker, one task for each.
"""

import asyncio
from math import inf

from tesserae_client.backoff import STABLE_S, Backoff, comes_back

from bots.load.follower import Follower
from bots.load.line import Address, Line, Unopened, open_line
from bots.load.plan import Window
from bots.load.remedies import remedy
from bots.waiting import came

_TOO_MANY_REQUESTS, _SERVER_ERROR = 429, 500
SILENCE_EVERY_S = 40.0
"""Two ping periods of a usual server."""
ANSWERS_WITHIN_S, LOOKS_EVERY_S = 5.0, 0.02
"""For what is under way when somebody leaves in the middle of a run."""


class Member:
    """Comes and goes by its windows, until `over` is set."""

    def __init__(
        self,
        follower: Follower,
        address: Address,
        windows: tuple[Window, ...],
        after_s: float,
        over: asyncio.Event,
    ) -> None:
        self.follower = follower
        self._address = address
        self._windows = windows
        self._after_s = after_s
        """After the start of each window."""
        self._over = over
        self._tally = follower.shared.tally
        self._backoff = Backoff(follower.rng)
        self._next_s = 0.0
        """When it tries again at the latest; infinite: never."""
        self.trouble = ""
        """Why it is not there, if it should be."""

    @property
    def there(self) -> bool:
        """It is joined at this moment."""
        return self.follower.farewell.joined and self.follower.line is not None

    @property
    def failed(self) -> bool:
        """It will not come any more, and was counted as a failure."""
        return self._next_s == inf

    def comes_by(self, at_s: float) -> bool:
        """It is there, or tries to be before that moment."""
        return self.there or self._next_s <= at_s

    def leave(self) -> None:
        """Hang up, now that all is over."""
        if self.follower.line is not None:
            self.follower.line.close()

    @property
    def stays(self) -> bool:
        """It is to be there at this moment, whether it is or not."""
        now_s = self._tally.now_s()
        return any(
            window.start_s + self._after_s <= now_s
            and (window.stop_s is None or now_s < window.stop_s)
            for window in self._windows
        )

    async def run(self) -> None:
        """Play all windows."""
        for window in self._windows:
            if await self._until(window.start_s + self._after_s):
                return
            if not await self._stay(window.stop_s):
                return

    async def _stay(self, stop_s: float | None) -> bool:
        """Be there to the end of a window; False: there is no use in coming again."""
        while not self._over.is_set() and (stop_s is None or self._tally.now_s() < stop_s):
            try:
                retry_s = await self._one_line(stop_s)
            except Unopened as unopened:
                retry_s = self._unopened(unopened)
            if retry_s is None:
                return False
            self._next_s = self._tally.now_s() + retry_s
            if await self._until(self._next_s):
                break
        return True

    def _unopened(self, unopened: Unopened) -> float | None:
        self._tally.slot().counts["not opened"] += 1
        self._trouble(str(unopened), None if unopened.status is None else f"{unopened.status}")
        status = unopened.status
        if status is not None and status != _TOO_MANY_REQUESTS and status < _SERVER_ERROR:
            self._fails(str(unopened), str(status))
            return None
        return self._backoff.next_s(unopened.retry_after_ms)

    async def _one_line(self, stop_s: float | None) -> float | None:
        """Open a line and keep it; returns after how long to come again, None for never."""
        line = await open_line(self.follower, self._address)
        began_s = self._tally.now_s()
        try:
            left = await self._kept(line, stop_s)
            if left and not self._over.is_set():
                await self._answered(line)
        finally:
            line.close()
        said = self.follower.cut()
        if left:
            return 0.0
        code = said.code or line.close_code
        if said.joined:
            self._tally.slot().counts["cuts"] += 1
        reason = said.reason or line.reason or "the connection was cut"
        self._trouble(reason, None if code is None else str(code))
        if said.final or (code is not None and not comes_back(code)):
            self._fails(reason, str(code))
            return None
        if said.joined and self._tally.now_s() - began_s >= STABLE_S:
            self._backoff.reset()
        return self._backoff.next_s(said.retry_after_ms)

    async def _kept(self, line: Line, stop_s: float | None) -> bool:
        """Wait for the end of the line (False) or of our time (True)."""
        while not self._over.is_set():
            left_s = SILENCE_EVERY_S if stop_s is None else stop_s - self._tally.now_s()
            if left_s <= 0:
                return True
            _, still = await asyncio.wait([line.ended], timeout=min(SILENCE_EVERY_S, left_s))
            if not still:
                return self._over.is_set()
            if left_s >= SILENCE_EVERY_S:
                line.check_silence()
        return True

    async def _answered(self, line: Line) -> None:
        """Place no more, and take the answers that are under way."""
        self.follower.pause()
        for _ in range(int(ANSWERS_WITHIN_S / LOOKS_EVERY_S)):
            if not self.follower.unanswered or line.ended.done():
                return
            await asyncio.sleep(LOOKS_EVERY_S)

    async def _until(self, at_s: float) -> bool:
        """Wait until then; True when all is over."""
        return await came(self._over, max(0.0, at_s - self._tally.now_s()))

    def _trouble(self, reason: str, code: str | None) -> None:
        self.trouble = self._tally.trouble = remedy(reason, code)

    def _fails(self, reason: str, code: str) -> None:
        self._next_s = inf
        self._tally.failures[remedy(reason, code)] += 1
