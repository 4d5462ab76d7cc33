"""A channel: one game's stream to everybody who watches it.

Owns the game's subscriptions, the moment of publication and who is in step. What is published is
encoded once for each codec and walks to everybody in step, with the acks folded in; slow readers
are left out until they drain. Driven by ticker.py and the hub; knows no game: whatever feeds the
replica publishes.
"""

import asyncio
from collections import defaultdict
from collections.abc import Callable, Iterable
from urllib.parse import quote

from server.asking import Position, Resume, SnapshotMode
from server.game.game import Answer, Publication
from server.hub.paces import Paces
from server.hub.subscription import Pace, Prepared, Subscription
from server.hub.walk import Walk
from server.ports import Broadcast, Connection, write_each
from server.replica.catch_up import CatchUps, frames_of
from server.replica.replica import Replica
from server.replica.snapshots import Snapshots
from server.telemetry.traffic import Traffic
from server.wire import events
from server.wire.codec import Codec

NOWHERE = -1
"""A seq from which no event leads on, so that a snapshot is sent."""


class Channel:
    """One game's stream."""

    def __init__(
        self,
        replica: Replica,
        publish: Callable[[], Publication],
        now_ms: Callable[[], int],
        caught_up: Callable[[Connection], None],
        traffic: Traffic,
        broadcast: Broadcast = write_each,
    ) -> None:
        self.replica = replica
        self.snapshots = Snapshots(replica, traffic)
        self.watching: dict[Connection, Subscription] = {}
        self._live: defaultdict[Codec, dict[Connection, Subscription]] = defaultdict(dict)
        self._paces = Paces()
        self._publish = publish
        self._catch_ups = CatchUps(replica, traffic)
        self._now_ms = now_ms
        self._caught_up = caught_up
        """Told of a reader that a snapshot of its own has brought to the present."""
        self._refreshing: dict[Connection, asyncio.Task[None]] = {}
        self._walk: Walk | None = None
        self._traffic = traffic
        self._broadcast = broadcast

    def forget_unused(self, now_ms: int) -> None:
        """Keep nothing for slow readers once there have been none for a while."""
        self._catch_ups.forget_unused(now_ms)

    @property
    def name(self) -> str:
        """Name of the game."""
        return self.replica.stream.game

    # --- publication ---------------------------------------------------------

    def publish(self) -> set[Connection]:
        """Publish what is committed; `tell` brings it to everybody in step, with their acks.

        Returns all who are acknowledged; those not in step have theirs to be written afterwards.
        The publication before it has been told to its end.
        """
        began_at = self.replica.seq
        publication = self._publish()
        askers = _tell_accepted(publication.answers)
        if publication.segments:
            parts = list(frames_of(publication.segments))
            self._walk = Walk(
                self.replica.stream, parts, began_at, self._live, self._traffic, self._broadcast
            )
        return askers

    def tell(self, until: Callable[[], bool]) -> bool:
        """Go on telling what was published; stops once `until` holds. Returns whether all know."""
        if self._walk is not None:
            self._walk.go_on(until)
            if self._walk.done:
                self._walk = None
        return self._walk is None

    def tell_now(self, subscription: Subscription) -> None:
        """Bring a reader that is in step, or has a pace of its own, to the present at once."""
        if subscription.pace is Pace.PACED:
            self.advance(subscription)
        elif self._walk is not None:
            self._walk.tell_now(subscription.connection)

    # --- who watches ---------------------------------------------------------

    async def prepare(self, since: Position | None, mode: SnapshotMode) -> Prepared:
        """Await what `start` needs; never touches the connection."""
        prepared = Prepared(self.name, since, mode, None, self._resume_of)
        if mode == "inline" and prepared.resume == "snapshot":
            snapshot = await self.snapshots.current()
            prepared = Prepared(self.name, since, mode, snapshot, self._resume_of)
        return prepared

    def _resume_of(self, prepared: Prepared) -> Resume:
        since = prepared.since
        if prepared.mode == "none":
            return "current"
        if since is None or since.epoch != self.replica.epoch or since.seq > self.replica.seq:
            return "snapshot"
        if since.seq == self.replica.seq:
            return "current"
        return "events" if self._catch_ups.possible(since.seq) else "snapshot"

    def start(self, connection: Connection, prepared: Prepared, interval_ms: int) -> None:
        """Begin a subscription: what brings it to the present, then the stream."""
        resume = prepared.resume
        self.stop(connection)
        # Behind until proven in step: a write below may meet a full socket at once.
        subscription = Subscription(connection, self.name, Pace.LAGGING, interval_ms)
        subscription.behind_since_ms = self._now_ms()
        subscription.seq = self.replica.seq
        self.watching[connection] = subscription
        if resume == "events" and prepared.since is not None:
            subscription.seq = prepared.since.seq
        elif resume == "snapshot":
            self._begin_with_snapshot(subscription, prepared)
        self.advance(subscription)

    def _begin_with_snapshot(self, subscription: Subscription, prepared: Prepared) -> None:
        if prepared.mode == "http":
            link = self._snapshot_link()
            subscription.connection.write(link)
            self._traffic.snapshots.add(len(link))
            return
        snapshot = prepared.snapshot
        if snapshot is None or not self._catch_ups.possible(snapshot.seq):
            # The stream has left it behind while others were prepared: make a fresh one.
            subscription.seq = NOWHERE
            return
        subscription.deliver(snapshot)

    def _snapshot_link(self) -> bytes:
        replica = self.replica
        geometry = replica.lineage.geometry
        return events.snapshot(
            self.name,
            replica.epoch,
            replica.seq,
            geometry.generation,
            width=geometry.width,
            height=geometry.height,
            size_bytes=replica.board.packed.nbytes,
            url=f"api/games/{quote(self.name, safe='')}/canvas.bin",
        )

    def stop(self, connection: Connection) -> None:
        """End a connection's subscription, if it has one."""
        subscription = self.watching.pop(connection, None)
        if subscription is not None and subscription.delivery is not None:
            subscription.delivery.end()
        self._leave_walk(connection)
        self._leave_pace(connection)
        refreshing = self._refreshing.pop(connection, None)
        if refreshing is not None:
            refreshing.cancel()

    # --- slow and paced readers ----------------------------------------------

    def pause(self, subscription: Subscription) -> None:
        """Leave a reader out of the flushes: the kernel does not take more."""
        self._note_seq(subscription)
        self._lag(subscription)

    def _note_seq(self, subscription: Subscription) -> None:
        """Write down what a reader in step has been told, before it is so no more."""
        if subscription.pace is Pace.LIVE:
            told_before = self._leave_walk(subscription.connection)
            subscription.seq = self.replica.seq if told_before is None else told_before

    def _leave_walk(self, connection: Connection) -> int | None:
        """Leave a connection out of the walk; the seq it knows, if it was still to be told."""
        walk = self._walk
        return walk.began_at if walk is not None and walk.leave_out(connection) else None

    def _leave_pace(self, connection: Connection) -> None:
        self._live[connection.codec].pop(connection, None)
        self._paces.discard(connection)

    def _lag(self, subscription: Subscription) -> None:
        if subscription.pace is not Pace.LAGGING:
            self._leave_pace(subscription.connection)
            subscription.pace = Pace.LAGGING
            subscription.behind_since_ms = self._now_ms()
            subscription.unsent_bytes = subscription.left_bytes()

    def advance(self, subscription: Subscription) -> None:
        """Bring a reader to the present with one merged catch-up, or start a snapshot for it.

        One that has not got all of a snapshot gets what its socket takes of it, and nothing else.
        """
        connection = subscription.connection
        if connection in self._refreshing or not self._delivered(subscription):
            return
        frames = self._catch_ups.since(subscription.seq, connection.codec)
        if frames is None:
            self._refresh(subscription)
            return
        subscription.seq = self.replica.seq
        if frames:
            connection.write(frames)
            self._traffic.catch_ups.add(len(frames))
        if connection.writable:
            self._in_step(subscription)

    def _delivered(self, subscription: Subscription) -> bool:
        delivery = subscription.delivery
        if delivery is not None:
            if not delivery.go_on(subscription.connection, self._traffic.snapshots):
                return False
            self._traffic.snapshots_delivered += 1
            subscription.delivery = None
        return True

    def _in_step(self, subscription: Subscription) -> None:
        subscription.snapshots_in_a_row = 0
        subscription.most_unsent_bytes = 0
        if subscription.interval_ms:
            subscription.pace = Pace.PACED
            subscription.due_ms = self._now_ms() + subscription.interval_ms
            self._paces.add(subscription)
            return
        subscription.pace = Pace.LIVE
        connection = subscription.connection
        self._live[connection.codec][connection] = subscription

    def _refresh(self, subscription: Subscription) -> None:
        self._lag(subscription)
        task = asyncio.create_task(self._send_fresh_snapshot(subscription))
        self._refreshing[subscription.connection] = task

    async def refreshed(self, connection: Connection) -> None:
        """Wait until the snapshot that is on its way to a reader, if one is, has been written."""
        refreshing = self._refreshing.get(connection)
        if refreshing is not None:
            await asyncio.wait((refreshing,))
        subscription = self.watching.get(connection)
        if subscription is not None and subscription.delivery is not None:
            await subscription.delivery.ended()

    async def _send_fresh_snapshot(self, subscription: Subscription) -> None:
        connection = subscription.connection
        snapshot = await self.snapshots.current()
        self._refreshing.pop(connection, None)
        if self.watching.get(connection) is not subscription or not connection.writable:
            return  # gone, or full again: the next drain asks once more
        subscription.deliver(snapshot)
        self.advance(subscription)
        self._caught_up(connection)

    def set_interval(self, subscription: Subscription, interval_ms: int) -> None:
        """Change the shortest time between two frames of a reader; 0 puts it in step."""
        subscription.interval_ms = interval_ms
        self._note_seq(subscription)
        if subscription.pace is not Pace.LAGGING:
            self._leave_pace(subscription.connection)
            self.advance(subscription)

    def readers(self) -> dict[Pace, int]:
        """Count the readers of each pace."""
        live, paced = sum(map(len, self._live.values())), len(self._paces)
        lagging = len(self.watching) - live - paced
        return {Pace.LIVE: live, Pace.PACED: paced, Pace.LAGGING: lagging}

    def lagging(self) -> Iterable[Subscription]:
        """Readers that are left out of the flushes at present."""
        return [sub for sub in self.watching.values() if sub.pace is Pace.LAGGING]

    def advance_due(self, now_ms: int) -> list[Connection]:
        """Send to the paced readers whose time has come; returns them."""
        due = self._paces.take_due(now_ms, self.replica.seq)
        for subscription in due:
            self.advance(subscription)
        return [subscription.connection for subscription in due]

    def next_due_ms(self) -> int | None:
        """When to look at the next paced reader; None when all have all that is published."""
        return self._paces.next_due_ms()

    def is_told(self, connection: Connection) -> bool:
        """Whether a connection has been handed all that is published here (or does not watch)."""
        subscription = self.watching.get(connection)
        if subscription is None:
            return True
        if subscription.pace is Pace.LIVE:
            return self._walk is None or not self._walk.awaits(connection)
        return subscription.delivery is None and subscription.seq == self.replica.seq


def _tell_accepted(answers: list[Answer]) -> set[Connection]:
    askers: set[Connection] = set()
    for asker, event, tag in answers:
        asker.accepted(event, tag)
        connection = asker.connection
        if connection is not None:
            askers.add(connection)
    return askers
