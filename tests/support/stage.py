"""A game, its hub and a clock, with readers to look at what goes out."""

import asyncio
from typing import Any

from canvas.events import PixelPlaced
from canvas.placement import Placement
from canvas.refusals import ACCEPTED_STATUS, Refusal
from server.asking import Position, SnapshotMode
from server.game.game import Game
from server.hub.hub import Hub, HubEvents, HubSettings
from server.hub.ticker import Flush
from server.telemetry.traffic import Traffic
from server.wire.binary_v1 import ack_frame
from tests.support.clock import FakeClock
from tests.support.games import GatedJournal, make_game, make_replica, placement
from tests.support.reader import Reader


class Asker:
    """Queues binary acks as a session does."""

    def __init__(self, connection: Reader) -> None:
        self.connection = connection
        self.gone = False
        self.refusals: list[Refusal] = []

    def accepted(self, event: PixelPlaced, tag: object) -> None:
        ack = ack_frame(ACCEPTED_STATUS, 1, event.request or 0, event.seq, 0, event.index, 0, 0)
        self.connection.acks.append(ack)

    def refused(self, refusal: Refusal, asked: Placement, tag: object) -> None:
        self.refusals.append(refusal)


class Stage:
    """A game, its hub and a clock."""

    def __init__(
        self, *, slow_timeout_ms: int = 5000, ring_events: int = 100_000, turn: float = 1.0
    ) -> None:
        self.clock = FakeClock()
        self.journal = GatedJournal()
        self.game: Game = make_game(
            self.clock, self.journal, replica=make_replica(64, 64, ring_events=ring_events)
        )
        # Without a shortest tick, so that no commit waits for a clock that stands still.
        settings = HubSettings(tick_min=0.0, slow_timeout_ms=slow_timeout_ms, turn=turn)
        self.traffic = Traffic()
        self.flushes: list[Flush] = []
        self.hub = Hub(self.clock, settings, self._events(), self.traffic)
        self.hub.open(self.game)
        self._tasks = [asyncio.create_task(self.game.committer.run())]
        self._at = 0

    async def place(
        self, count: int = 1, asker: Asker | None = None, *, spread: int = 4096
    ) -> None:
        """Place pixels and flush once they are committed."""
        asker = asker or Asker(Reader(self.hub))
        for _ in range(count):
            self._at += 1
            cell = self._at % spread
            self.game.submit(placement(cell % 64, cell // 64, self._at % 16), asker)
        await self.game.committer.drained()
        self.hub.flush(self.game)

    async def watch(
        self,
        reader: Reader,
        since: Position | None = None,
        mode: SnapshotMode = "inline",
        interval_ms: int = 0,
    ) -> str:
        prepared = await self.hub.prepare(self.game, since, mode)
        resume = prepared.resume
        self.hub.start(reader, prepared, interval_ms)
        return resume

    def watch_over(self, duration_ms: int) -> None:
        """Let time pass with a sweep a second."""
        for left_ms in range(duration_ms, 0, -1000):
            self.clock.advance(min(left_ms, 1000))
            self.hub.sweep()

    def agrees(self, reader: Reader) -> bool:
        reader.read()
        assert reader.board is not None
        replica = self.game.replica
        return reader.seq == replica.seq and reader.board.crc32() == replica.crc32()

    async def stop(self) -> None:
        self.game.committer.stop()
        await asyncio.gather(*self._tasks)

    def _events(self) -> HubEvents:
        def flushed(_game: Game, flush: Flush) -> None:
            self.flushes.append(flush)

        def ignore(*_: Any) -> None:
            """Hear nothing."""

        return HubEvents(flushed, ignore, ignore, ignore)
