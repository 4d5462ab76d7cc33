"""The hub: which connection watches which games, and when each game is flushed.

Owns the channels; the only one that moves a subscription when a socket fills or drains. Sessions
start and stop subscriptions here; games say that something is committed. Never reads a message and
never decides a placement.
"""

import asyncio
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial

from persistence.errors import PermanentFault, StoreError, TransientFault
from server.asking import Position, SnapshotMode
from server.clock import Clock
from server.game.game import Game, GameListener
from server.hub.channel import Channel
from server.hub.pacer import FanOut, Pacer
from server.hub.subscription import Pace, Prepared, Subscription
from server.hub.ticker import Flush, Ticker, TickerEvents
from server.ports import Broadcast, Connection, write_each
from server.telemetry.traffic import Traffic
from server.wire import events
from server.wire.codes import CloseCode

MS = 1000.0
FIRST_SNAPSHOT_SHARES = 16
"""Such a part of a first snapshot is to be taken in each slow timeout: a reader of a byte now and
then would hold on to a whole board for hours."""
SWEEP_GAP_MS = 2_000
"""Between two sweeps; what more passes this process was not there to see a socket drain."""


@dataclass(frozen=True, slots=True)
class HubSettings:
    """Bounds of the tick (seconds) and of slow readers (milliseconds)."""

    tick_min: float = 0.010
    tick_max: float = 0.200
    turn: float = 0.005
    """Of fan-out, before the loop sees to others."""
    slow_timeout_ms: int = 30_000


@dataclass(frozen=True, slots=True)
class HubEvents:
    """What the hub and its games tell the operator's side; each called on the loop."""

    flushed: Callable[[Game, Flush], None]
    delayed: Callable[[Game, TransientFault], None]
    recovered: Callable[[Game], None]
    failed: Callable[[Game, StoreError], None]


class Hub:
    """Fan-out of all games of this process."""

    def __init__(
        self,
        clock: Clock,
        settings: HubSettings,
        listener: HubEvents,
        traffic: Traffic,
        broadcast: Broadcast = write_each,
    ) -> None:
        self._clock = clock
        self._settings = settings
        self._listener = listener
        self._traffic = traffic
        self._broadcast = broadcast
        self._channels: dict[str, Channel] = {}
        self._tickers: dict[str, Ticker] = {}
        self._fan_out = FanOut()
        self._paced_due: dict[str, asyncio.Handle] = {}
        self._hinted: set[Connection] = set()
        self._swept_ms = clock.monotonic_ms()

    # --- games ---------------------------------------------------------------

    def open(self, game: Game) -> None:
        """Serve a game from here on."""
        channel = Channel(
            game.replica,
            game.publish,
            self._clock.monotonic_ms,
            self.flush_acks,
            self._traffic,
            self._broadcast,
        )
        self._channels[game.name] = channel
        self._tickers[game.name] = self._ticker(game, channel)
        tell = self._listener
        game.listen(
            GameListener(self._ready, self._spare, tell.delayed, tell.recovered, tell.failed)
        )

    def close(self, game: Game) -> None:
        """Serve a game no more, which nobody watches."""
        self._tickers.pop(game.name).flush()
        del self._channels[game.name]
        due = self._paced_due.pop(game.name, None)
        if due is not None:
            due.cancel()

    def _ticker(self, game: Game, channel: Channel) -> Ticker:
        def told(askers: set[Connection], new: bool) -> None:
            for connection in askers:
                self.flush_acks(connection)
            if new:
                self._hint(channel)
                self._serve_paced(channel)

        def failed(fault: Exception) -> None:
            # What half a flush has told cannot be told again: take nothing more than can be kept.
            hint = "restart the server; what is committed is not lost"
            game.fail(PermanentFault(f"a publication failed: {fault!r}", hint))

        pacer = Pacer(self._settings.tick_min, self._settings.tick_max)
        flushed = partial(self._listener.flushed, game)
        events = TickerEvents(told, flushed, failed)
        return Ticker(channel, pacer, self._fan_out, self._clock, self._settings.turn, events)

    def _ready(self, game: Game) -> None:
        self._tickers[game.name].ask()

    def _spare(self, game: Game, took: float) -> float:
        return self._tickers[game.name].spare(took)

    def flush(self, game: Game) -> None:
        """Publish what is committed of a game, to everybody, now."""
        self._tickers[game.name].flush()

    def flush_acks(self, connection: Connection) -> None:
        """Write a connection's acks, unless a pixel they speak of is still to be told to it."""
        acks = connection.acks
        if not acks:
            return
        for channel in self._channels.values():
            if not channel.is_told(connection):
                return
        connection.acks = []
        connection.writelines(acks)
        self._traffic.acks.add_all(acks)

    # --- subscriptions -------------------------------------------------------

    async def prepare(self, game: Game, since: Position | None, mode: SnapshotMode) -> Prepared:
        """Make ready what a watcher needs; may await a snapshot, never touches the connection."""
        return await self._channels[game.name].prepare(since, mode)

    def start(self, connection: Connection, prepared: Prepared, interval_ms: int = 0) -> None:
        """Begin, or begin anew, to send a game; in the turn of the reply that names its channel."""
        self._channels[prepared.game].start(connection, prepared, interval_ms)
        self.flush_acks(connection)

    def pace(self, connection: Connection, interval_ms: int) -> None:
        """Change the shortest time between two frames of all that a connection watches."""
        for channel in list(self._of(connection)):
            channel.set_interval(channel.watching[connection], interval_ms)
        self.flush_acks(connection)

    def stop(self, connection: Connection, game: str) -> None:
        """Stop sending a game; acks that waited for its frames go out."""
        self._channels[game].stop(connection)
        self.flush_acks(connection)

    def is_hinted(self, connection: Connection) -> bool:
        """Whether a connection gets hints instead of pixels."""
        return connection in self._hinted

    async def refreshed(self, connection: Connection, game: str) -> None:
        """Wait for the snapshot of a game that is on its way to a connection, if one is."""
        await self._channels[game].refreshed(connection)

    def hint(self, connection: Connection, *, wanted: bool) -> None:
        """Send a legacy client a hint for every game instead of pixels, or stop that."""
        if wanted:
            self._hinted.add(connection)
        else:
            self._hinted.discard(connection)

    def _hint(self, channel: Channel) -> None:
        if self._hinted:
            frame = _hint_of(channel)
            for connection in tuple(self._hinted):
                if connection.writable:
                    connection.write(frame)
                    self._traffic.events.add(len(frame))

    def detach(self, connection: Connection) -> None:
        """Forget a connection that is gone."""
        self._hinted.discard(connection)
        for channel in self._channels.values():
            channel.stop(connection)

    def watching(self, connection: Connection) -> set[str]:
        """Names of the games that a connection watches."""
        return {channel.name for channel in self._of(connection)}

    def watchers(self, game: str) -> int:
        """How many connections watch a game."""
        return len(self._channels[game].watching)

    def readers(self) -> Counter[Pace]:
        """Count the subscriptions of each pace, of all games."""
        counts: Counter[Pace] = Counter(dict.fromkeys(Pace, 0))
        for channel in self._channels.values():
            counts.update(channel.readers())
        return counts

    def interval(self) -> float:
        """Seconds between two flushes of the game that now has the longest pause."""
        return max((ticker.interval for ticker in self._tickers.values()), default=0.0)

    def _subscriptions(self, connection: Connection) -> Iterator[Subscription]:
        return (channel.watching[connection] for channel in self._of(connection))

    def _of(self, connection: Connection) -> Iterator[Channel]:
        return (channel for channel in self._channels.values() if connection in channel.watching)

    # --- slow and paced readers ----------------------------------------------

    def pause(self, connection: Connection) -> None:
        """Take a connection out of the flushes: its socket is full."""
        for channel in self._of(connection):
            channel.pause(channel.watching[connection])

    def resume(self, connection: Connection) -> None:
        """Catch a connection up, one merged frame a game, now that its socket has drained."""
        if connection in self._hinted and connection.writable:
            hints = [_hint_of(channel) for channel in self._channels.values()]
            connection.writelines(hints)
            self._traffic.events.add_all(hints)
        lagging = [each for each in self._subscriptions(connection) if each.pace is Pace.LAGGING]
        # A large snapshot last: the streams of other games go on between its bands.
        for subscription in sorted(lagging, key=lambda each: each.delivery is not None):
            if connection.writable:
                self._channels[subscription.game].advance(subscription)
        self.flush_acks(connection)

    def catch_up(self, connection: Connection) -> None:
        """Bring a connection that is not lagging to the present, ahead of its turn."""
        for channel in list(self._of(connection)):
            channel.tell_now(channel.watching[connection])
        self.flush_acks(connection)

    def _serve_paced(self, channel: Channel) -> None:
        now_ms = self._clock.monotonic_ms()
        for connection in channel.advance_due(now_ms):
            self.flush_acks(connection)
        due = self._paced_due.pop(channel.name, None)
        if due is not None:
            due.cancel()
        next_due_ms = channel.next_due_ms()
        if next_due_ms is not None:
            loop = asyncio.get_running_loop()
            self._paced_due[channel.name] = loop.call_later(
                (next_due_ms - now_ms) / MS, self._serve_paced, channel
            )

    def sweep(self) -> None:
        """Close readers that do not catch up, and forget what none needs; about once a second."""
        now_ms = self._clock.monotonic_ms()
        stalled_ms = max(0, now_ms - self._swept_ms - SWEEP_GAP_MS)
        self._swept_ms = now_ms
        for channel in self._channels.values():
            channel.forget_unused(now_ms)
            for subscription in channel.lagging():
                subscription.forgive(stalled_ms, now_ms)
                if self._is_stuck(subscription, now_ms):
                    subscription.connection.close(
                        CloseCode.SLOW, "reads more slowly than the board changes"
                    )

    def _is_stuck(self, subscription: Subscription, now_ms: int) -> bool:
        unsent_bytes = subscription.left_bytes()
        moved_bytes = subscription.note_unsent(unsent_bytes)
        moves = 0 < moved_bytes >= subscription.most_unsent_bytes / FIRST_SNAPSHOT_SHARES
        if moves and subscription.snapshots_in_a_row == 1:
            # A first snapshot over a thin line may take its time, as long as it moves.
            subscription.behind_since_ms = now_ms
            subscription.unsent_bytes = unsent_bytes
        return now_ms - subscription.behind_since_ms > self._settings.slow_timeout_ms


def _hint_of(channel: Channel) -> bytes:
    return events.game_hint(channel.name, channel.replica.seq)
