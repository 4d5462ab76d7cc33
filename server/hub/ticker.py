"""One game's ticks: when its stream is flushed, in turns that leave the loop to others.

Owns the timers of one channel and the order of a flush: publish, tell everybody in step, then those
who are not. At most one publication is on its way at a time. Made by the hub.
"""

import asyncio
from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple

from server.clock import Clock
from server.hub.channel import Channel
from server.hub.pacer import FanOut, Pacer
from server.ports import Connection


class Flush(NamedTuple):
    """How one flush went; both in seconds."""

    cost: float
    """What it held the loop, all turns together."""
    lag: float | None
    """From the first commit in it until the last reader in step was told; None when nothing was."""


@dataclass(frozen=True, slots=True)
class TickerEvents:
    """What a ticker tells the hub."""

    told: Callable[[set[Connection], bool], None]
    """A publication has gone out: to be acknowledged still, and whether there was anything new."""
    flushed: Callable[[Flush], None]
    failed: Callable[[Exception], None]
    """Half a flush cannot be told again."""


class Ticker:
    """Flushes one channel."""

    def __init__(
        self,
        channel: Channel,
        pacer: Pacer,
        fan_out: FanOut,
        clock: Clock,
        turn: float,
        listener: TickerEvents,
    ) -> None:
        """`turn`: seconds of fan-out between two looks at what else the loop has to do."""
        self._channel = channel
        self._pacer = pacer
        self._fan_out = fan_out
        self._before = 0.0
        """What fan-out had taken when the flush began."""
        self._clock = clock
        self._turn = turn
        self._listener = listener
        self._handle: asyncio.Handle | None = None
        self._walking = False
        self._wanted = False
        self._started = 0.0
        self._cost = 0.0
        self._new = False
        self._asked_at: float | None = None
        self._committed_at = 0.0
        self._askers: set[Connection] = set()

    def spare(self, took: float) -> float:
        """Seconds that a commit which takes so many can wait and be flushed no later, at least.

        Negative when it is late already; to be asked again after that time.
        """
        now = self._clock.precise()
        if self._walking:
            return self._pacer.earliest(self._started, self._taken()) - now - took
        spare = self._pacer.delay(now) - took
        if spare < 0 and self._handle is not None:
            # The flush that is due will not show it, and the one after it comes no sooner.
            return spare + self._pacer.shortest
        return spare

    def ask(self) -> None:
        """Flush when it suits: something is committed."""
        if self._asked_at is None:
            self._asked_at = self._clock.precise()
        self._when_it_suits()

    def _when_it_suits(self) -> None:
        if self._walking or self._handle is not None:
            self._wanted = True
            return
        loop = asyncio.get_running_loop()
        delay = self._pacer.delay(self._clock.precise())
        # An idle stream does not wait: one placement alone is told in the next turn.
        flush = self._guarded(self._begin)
        self._handle = loop.call_later(delay, flush) if delay else loop.call_soon(flush)

    @property
    def interval(self) -> float:
        """Seconds that the stream waits between two flushes, as things are."""
        return self._pacer.interval

    def flush(self) -> None:
        """Publish what is committed and tell it to everybody, now."""
        self._cancel()
        if self._walking:
            self._walk(_never)
            self._cancel()
        self._publish()
        self._walk(_never)

    def _cancel(self) -> None:
        if self._handle is not None:
            self._handle.cancel()
            self._handle = None

    def _guarded(self, step: Callable[[], None]) -> Callable[[], None]:
        def run() -> None:
            try:
                step()
            except Exception as fault:
                self._listener.failed(fault)
                raise

        return run

    def _begin(self) -> None:
        self._publish()
        self._go_on()

    def _go_on(self) -> None:
        precise = self._clock.precise
        ends = precise() + self._turn
        self._walk(lambda: precise() >= ends)
        if self._walking:
            self._handle = asyncio.get_running_loop().call_soon(self._guarded(self._go_on))

    def _publish(self) -> None:
        started = self._started = self._clock.precise()
        self._before = self._fan_out.seconds
        self._committed_at = started if self._asked_at is None else self._asked_at
        self._asked_at = None
        before = self._channel.replica.seq
        self._wanted = False
        self._walking = True
        self._askers = self._channel.publish()
        self._new = self._channel.replica.seq != before
        self._cost = 0.0
        self._note(started, self._clock.precise())

    def _note(self, started: float, ended: float) -> None:
        self._cost += ended - started
        self._fan_out.seconds += ended - started

    def _taken(self) -> float:
        return self._fan_out.seconds - self._before

    def _walk(self, until: Callable[[], bool]) -> None:
        started = self._clock.precise()
        done = self._channel.tell(until)
        if done:
            askers, self._askers = self._askers, set()
            self._listener.told(askers, self._new)
        ended = self._clock.precise()
        self._note(started, ended)
        if done:
            self._end(ended)

    def _end(self, ended: float) -> None:
        self._walking = False
        self._handle = None
        self._pacer.flushed(self._started, ended, self._taken())
        lag = ended - self._committed_at if self._new else None
        self._listener.flushed(Flush(self._cost, lag))
        if self._wanted:
            self._when_it_suits()


def _never() -> bool:
    return False
