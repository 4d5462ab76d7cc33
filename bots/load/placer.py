"""One placer of the load test: a follower that also places, at its own pace.

Owns when it places, and counts what becomes of it. With a rate it sends when it is time, answered
or not, as a crowd does: a slow server is not asked less. Without one it waits as the cooldown
says. Called by its line and by the member.
"""

import asyncio
from collections.abc import Callable, Iterator
from random import Random

from tesserae_client.outcomes import Refused, from_ack
from tesserae_client.records import record
from tesserae_client.wire import ACK_OP, decode_ack

from bots.load.follower import Follower
from bots.load.frames import BINARY
from bots.load.placing import Placing
from bots.load.shared import Farewell, Shared
from bots.pace import delay_s
from bots.way import Cell

FIRST_WITHIN_S = 0.5


class Placer(Follower):
    """Places the cells that it is handed."""

    guest = True

    def __init__(
        self,
        shared: Shared,
        rng: Random,
        *,
        proves: bool,
        token: str | None,
        rate_at: Callable[[float], float | None],
    ) -> None:
        super().__init__(shared, rng, proves=proves, token=token)
        self.cells: Iterator[Cell] = iter(())
        self.generation: int | None = None
        """That the cells are meant in; None: the board's own."""
        self._rate_at = rate_at
        self._placing = Placing(rng)
        self._timer: asyncio.TimerHandle | None = None
        self._due_s = 0.0
        self._over = False
        self._paused = False

    @property
    def unanswered(self) -> int:
        """Placements without an answer."""
        return self._placing.unanswered

    def joined(self) -> None:
        """Settle what a cut left open, then go on placing."""
        self._paused = False
        for frame in self._placing.again():
            self._send(frame)
        self._begin_placing()

    def cut(self) -> Farewell:
        """Wait for the next line."""
        self._rest()
        self.shared.tally.slot().counts["unknown"] += self._placing.forget_old()
        return super().cut()

    def pause(self) -> None:
        """Place no more before the next line."""
        self._paused = True
        self._rest()

    def finish(self) -> None:
        """Place no more; answers are still taken."""
        self._over = True
        self._rest()

    def binary(self, payload: bytes) -> None:
        """Take a binary message; raises BadFrame."""
        if payload and payload[0] == ACK_OP:
            self._ack(payload)
        else:
            super().binary(payload)

    def _begin_placing(self) -> None:
        now_s = self.shared.tally.now_s()
        rate = self._rate_at(now_s)
        within_s = FIRST_WITHIN_S if not rate else 1 / rate
        self._wait_until(now_s + self.rng.uniform(0, within_s))

    def _wait_until(self, due_s: float) -> None:
        self._rest()
        if not self._over and not self._paused:
            loop = asyncio.get_running_loop()
            self._due_s = due_s
            self._timer = loop.call_later(due_s - self.shared.tally.now_s(), self._place)

    def _rest(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None

    def _place(self) -> None:
        self._timer = None
        now_s, state = self.shared.tally.now_s(), self.game_state
        cell = next(self.cells, None)
        if cell is None or state is None:
            return
        slot = self.shared.tally.slot(now_s)
        rate = self._rate_at(self._due_s)
        if self._placing.full:
            slot.counts["held back"] += 1
        else:
            generation = self.sync.generation if self.generation is None else self.generation
            self._send(self._placing.place(state.channel, generation, record(*cell), now_s))
            slot.counts["sent"] += 1
            slot.late.add(now_s - self._due_s)
        if rate:
            self._wait_until(self._due_s + 1 / rate)

    def _send(self, frame: bytes) -> None:
        if self.line is not None:
            self.line.send(BINARY, frame)

    def _ack(self, payload: bytes) -> None:
        ack = decode_ack(payload)
        sent_s = self._placing.answered(ack.request)
        if sent_s is None:
            return
        now_s = self.shared.tally.now_s()
        slot, outcome = self.shared.tally.slot(now_s), from_ack(ack, (0, 0, 0))
        slot.acks.add(now_s - sent_s)
        if isinstance(outcome, Refused):
            slot.refused[outcome.code] += 1
        else:
            slot.counts["accepted"] += 1
            self.shared.deliveries.acked(ack.seq, sent_s)
            self.shared.told(ack.seq)
        if not self._rate_at(now_s) and self._timer is None:
            self._next_as_allowed(delay_s(outcome, None))

    def _next_as_allowed(self, wait_s: float | None) -> None:
        if wait_s is None:
            self.shared.tally.failures["may not place any more"] += 1
        else:
            self._wait_until(self.shared.tally.now_s() + wait_s)
