"""Keeping a line: open it, wait for its end, come back or stop.

Owns the decision whether and when to come back (41xx and everything unplanned do, 44xx do not).
Never looks into messages; what they said of the end is told through `Farewell`. Called by the
client, once, as its only task.
"""

from asyncio import CancelledError
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Protocol

from tesserae_client.backoff import STABLE_S, Backoff, comes_back
from tesserae_client.errors import BadFrame, Stopped, Unreachable, stopped_by
from tesserae_client.line import Line, Unopened


@dataclass(slots=True)
class Farewell:
    """What the server said about the end of a line before it came."""

    code: int | None = None
    reason: str = ""
    retry_after_ms: int | None = None
    joined: bool = False
    """The line was good: we were told who we are."""
    final: Stopped | None = None
    """Why there is no use in coming back."""


@dataclass(frozen=True, slots=True)
class Loss:
    """The end of a line, or of an attempt, after which the client comes back."""

    reason: str
    code: int | None = None
    retry_after_ms: int | None = None
    stable: bool = False


class Host(Protocol):
    """The client, as the keeper sees it."""

    async def open(self) -> Line:
        """Open a new line."""
        ...

    def cut(self) -> Farewell:
        """Hear that the line is gone; tell what was said before."""
        ...

    def lost(self, reason: str, code: int | None, retry_in_s: float) -> None:
        """Hear that the client comes back, and when."""
        ...


class Keeper:
    """Opens lines one after the other until there is no use."""

    def __init__(
        self,
        host: Host,
        backoff: Backoff,
        *,
        sleep: Callable[[float], Awaitable[None]],
        now_s: Callable[[], float],
        give_up_after: int | None,
    ) -> None:
        self._host = host
        self._backoff = backoff
        self._sleep = sleep
        self._now_s = now_s
        self._give_up_after = give_up_after

    async def run(self) -> Stopped:
        """Run until the client must not come back; returns why. Raises what a listener raised.

        Cancelled, it closes the line politely.
        """
        while True:
            try:
                loss = await self._one_line()
            except Stopped as stopped:
                return stopped
            if loss.stable:
                self._backoff.reset()
            delay_s = self._backoff.next_s(loss.retry_after_ms)
            if self._give_up_after is not None and self._backoff.failures >= self._give_up_after:
                return Unreachable(
                    f"{self._give_up_after} attempts failed, the last: {loss.reason}"
                )
            self._host.lost(loss.reason, loss.code, delay_s)
            await self._sleep(delay_s)

    async def _one_line(self) -> Loss:
        try:
            line = await self._host.open()
        except Unopened as fault:
            return Loss(str(fault), retry_after_ms=fault.retry_after_ms)
        opened_s = self._now_s()
        try:
            await line.wait_closed()
        except CancelledError:
            await line.close()
            raise
        farewell = self._host.cut()
        if line.fault is not None and not isinstance(line.fault, BadFrame):
            raise line.fault
        code = farewell.code or line.close_code
        if farewell.final is not None:
            raise farewell.final
        if code is not None and not comes_back(code):
            raise stopped_by(code, farewell.reason or line.close_reason or "")
        stable = farewell.joined and self._now_s() - opened_s >= STABLE_S
        return Loss(_reason(line, farewell), code, farewell.retry_after_ms, stable)


def _reason(line: Line, farewell: Farewell) -> str:
    if line.fault is not None:
        return str(line.fault)
    if line.dead:
        return "the line is dead: nothing came for two ping periods"
    return farewell.reason or line.close_reason or "the connection was cut"
