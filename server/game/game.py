"""The game: the one writer of a canvas. One synchronous turn decides, numbers and queues.

Owns the head and the way from decided to published: head, then journal, then (by the hub's flush)
the replica, then the answers. It never awaits between a check and the act it allows, knows no
connection but through `Asker`, and never sends anything.
"""

import asyncio
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from canvas.base import LaidPicture
from canvas.events import BaseImported, ControlEvent, Event, PixelPlaced
from canvas.head import Head
from canvas.placement import Placement
from canvas.refusals import Refusal
from canvas.requests import Remembered
from persistence.errors import StoreError, TransientFault
from persistence.ports import Journal, Write
from server.asking import Asker
from server.clock import Clock
from server.game.committer import Committer, CommitterEvents, Decided
from server.game.config import control_update
from server.game.history import sort_key
from server.game.partitions import Partitions
from server.game.repeats import Repeats
from server.game.writers import Writers
from server.replica.replica import Replica
from server.replica.ring import Segment

_new_tuple = tuple.__new__
"""A NamedTuple's own constructor costs half a microsecond more, for every placement."""


class Answer(NamedTuple):
    """A placement to acknowledge at the next flush."""

    asker: Asker
    event: PixelPlaced
    tag: object


class GameListener(NamedTuple):
    """What a game tells, each called on the loop."""

    ready: Callable[["Game"], None]
    """Something is committed, or answers are due: flush when it suits."""
    spare: Callable[["Game", float], float]
    """Seconds that a commit which takes so many can wait and be flushed no later."""
    delayed: Callable[["Game", TransientFault], None]
    recovered: Callable[["Game"], None]
    failed: Callable[["Game", StoreError], None]


class Game:
    """One canvas with its head, its replica and its committer."""

    def __init__(
        self,
        replica: Replica,
        head: Head,
        journal: Journal,
        fence: int,
        clock: Clock,
        *,
        config_seq: int = 0,
        last_sk: str = "",
        writers: Writers | None = None,
        partitions: Partitions | None = None,
        commit_interval: float = 0.0,
    ) -> None:
        self.replica = replica
        self.head = head
        self.fence = fence
        self.fault: StoreError | None = None
        self.importing = False
        """Whether a base picture is on its way here."""
        self.last_sk = last_sk
        """Sort key of the newest published event; where recovery reads on from a snapshot."""
        self.config_seq = config_seq
        """The seq that the config item is known to hold."""
        self.writers = writers or Writers({})
        """Those before this one; what they left beyond their time is no part of the history."""
        self.waited_ms = 0
        """How long the oldest event of the last publication had been decided by then."""
        self._partitions = partitions or Partitions.of(replica.stream.game, 1)
        self._clock = clock
        self._listener: GameListener | None = None
        self._committed: list[Decided] = []
        self._repeats = Repeats()
        self._answers: list[Answer] = []
        self._awaited: dict[int, asyncio.Future[None]] = {}
        self.committer = Committer(
            journal,
            self._partitions,
            fence,
            CommitterEvents(
                self._on_committed, self._spare, self._on_delayed, self._on_recovered, self.fail
            ),
            interval=commit_interval,
        )

    @property
    def name(self) -> str:
        """`<metaGame>#<gameId>`."""
        return self.replica.stream.game

    @property
    def channel(self) -> int:
        """The u16 that stands for the game in binary frames."""
        return self.replica.stream.channel

    @property
    def epoch(self) -> str:
        """Changes when history is replaced."""
        return self.replica.epoch

    @property
    def partitions(self) -> tuple[str, ...]:
        """History partitions that this game ever used."""
        return self._partitions.used

    def cooldown_of(self, user_id: str | None) -> dict[str, Any]:
        """Build the protocol's `cooldown` object, for one user or for anybody."""
        rule = self.head.settings.cooldown
        return {
            "rule": rule.name,
            "ms": rule.ms,
            "leftMs": self.left_ms(user_id) if user_id else 0,
            "stack": self.stack(user_id) if user_id else rule.max_stack,
            "maxStack": rule.max_stack,
        }

    def left_ms(self, user_id: str) -> int:
        """Milliseconds until the next placement of a user."""
        return self.standing(user_id)[1]

    def stack(self, user_id: str) -> int:
        """How many placements a user could make now."""
        return self.standing(user_id)[0]

    def standing(self, user_id: str) -> tuple[int, int]:
        """How many placements a user could make now, and milliseconds until the next."""
        return self.head.cooldowns.standing(user_id, self._clock.monotonic_ms())

    def last_accepted(self, user_id: str) -> PixelPlaced | None:
        """Return the user's last accepted placement with a request number, while remembered."""
        return self.head.last_accepted(user_id, self._clock.wall_ms())

    def listen(self, listener: GameListener) -> None:
        """Name the one listener; before the first placement."""
        self._listener = listener

    def submit(self, placement: Placement, asker: Asker, tag: object = None) -> None:
        """Decide a placement; refusals are answered within this call, the rest once published."""
        clock = self._clock
        outcome = self.head.place(placement, clock.monotonic_ms(), clock.wall_ms())
        if type(outcome) is PixelPlaced:
            self.committer.add(_new_tuple(Decided, (outcome, asker, tag, (), False)))
        elif isinstance(outcome, Refusal):
            asker.refused(outcome, placement, tag)
        elif isinstance(outcome, Remembered):
            self._repeat(outcome, asker, tag)

    def _repeat(self, first: Remembered, asker: Asker, tag: object) -> None:
        if first.committed:
            self._answers.append(Answer(asker, first.event, tag))
            self._tell_ready()
        else:
            self._repeats.add(first.event.seq, asker, tag)

    def change(self, changes: Mapping[str, Any], writes: Sequence[Write] = ()) -> ControlEvent:
        """Number a change of settings; it is in force at once and told when committed.

        `writes` of other tables are committed with it, or neither is.
        """
        event = self.head.change(changes, self._clock.wall_ms())
        self._control(event, writes=writes)
        return event

    async def published(self, event: Event) -> None:
        """Wait until an event is published. Raises StoreError when it never will be."""
        if event.seq <= self.replica.seq:
            return
        waiting = asyncio.get_running_loop().create_future()
        self._awaited[event.seq] = waiting
        await waiting

    def resize(self, direction: str, amount: int, label: str | None = None) -> None:
        """Number a growth; raises ValueError when nothing would grow."""
        self._control(self.head.resize(direction, amount, label, self._clock.wall_ms()))

    async def lay(
        self,
        laid: LaidPicture,
        blob: str,
        crc32: int,
        user_id: str,
        changes: Mapping[str, Any] | None = None,
        epoch: str | None = None,
    ) -> BaseImported:
        """Number a base picture, whose blob is stored by now; returns once it is published.

        `changes` of settings go before it, both or neither; so does a new `epoch`, for which
        nobody may be watching. It is decided before anything is awaited. Raises ValueError when it
        does not suit the board as it now is, and StoreError when the store refuses for good.
        """
        head, wall_ms = self.head, self._clock.wall_ms()
        laid.check(head.geometry, head.settings.changed(changes or {}).palette)
        if changes:
            self.committer.add(Decided(head.change(changes, wall_ms)))
        event = head.lay(laid, blob, crc32, user_id, wall_ms)
        self._control(event, joins=bool(changes), epoch=epoch)
        await self.published(event)
        self.replica.epoch = epoch or self.replica.epoch
        return event

    def _control(
        self,
        event: ControlEvent,
        *,
        joins: bool = False,
        epoch: str | None = None,
        writes: Sequence[Write] = (),
    ) -> None:
        head = self.head
        update = control_update(
            self.name, event.seq, head.settings, head.lineage, fence=self.fence, epoch=epoch
        )
        self.committer.add(Decided(event, writes=(update, *writes), joins=joins))

    @property
    def is_busy(self) -> bool:
        """Whether something is decided, awaited or imported that is not published yet."""
        return bool(self.head.pending or self._awaited or self._answers or self.importing)

    @property
    def taking(self) -> bool:
        """Whether changes are taken: not while it drains, nor after a fault of the store."""
        return self.head.max_pending > 0

    def stop_taking(self) -> None:
        """Refuse every further placement with `busy`; what is pending goes on."""
        self.head.max_pending = 0

    def _on_committed(self, batch: Sequence[Decided]) -> None:
        self._committed.extend(batch)
        self._tell_ready()

    def publish(self) -> "Publication":
        """Move the committed prefix into the replica; what was committed is seen from here on."""
        batch, self._committed = self._committed, []
        answers, self._answers = self._answers, []
        events = [decided.event for decided in batch]
        segments = self.replica.apply(events)
        self.head.settle(events)
        if events:
            self._note_published(events)
        answers.extend(self._answers_of(batch))
        return Publication(segments, answers)

    def _note_published(self, events: Sequence[Event]) -> None:
        last = events[-1]
        self.waited_ms = max(0, self._clock.wall_ms() - events[0].at_ms)
        self.last_sk = sort_key(last.at_ms, last.seq, self.fence)
        if type(last) is not PixelPlaced:
            self.config_seq = last.seq
        for seq in [seq for seq in self._awaited if seq <= last.seq]:
            published = self._awaited.pop(seq)
            if not published.done():  # whoever waited may have gone
                published.set_result(None)

    def _answers_of(self, batch: Sequence[Decided]) -> list[Answer]:
        answers = [
            _new_tuple(Answer, (asker, event, tag))
            for event, asker, tag, _, _ in batch
            if asker is not None and type(event) is PixelPlaced
        ]
        if self._repeats:
            for event in [decided.event for decided in batch]:
                for asker, tag in self._repeats.take(event.seq):
                    answers.append(Answer(asker, event, tag))  # type: ignore[arg-type]  # repeats are of pixels
        return answers

    def _tell_ready(self) -> None:
        if self._listener is not None:
            self._listener.ready(self)

    def _spare(self, took: float) -> float:
        return 0.0 if self._listener is None else self._listener.spare(self, took)

    def _on_delayed(self, fault: TransientFault) -> None:
        if self._listener is not None:
            self._listener.delayed(self, fault)

    def _on_recovered(self) -> None:
        if self._listener is not None:
            self._listener.recovered(self)

    def fail(self, fault: StoreError) -> None:
        """Take no placement any more: the store, or the publication, is beyond retrying."""
        self.fault = fault
        self.stop_taking()
        while self._awaited:
            _, published = self._awaited.popitem()
            if not published.done():
                published.set_exception(fault)
        if self._listener is not None:
            self._listener.failed(self, fault)


class Publication(NamedTuple):
    """What one flush makes public."""

    segments: list[Segment]
    answers: list[Answer]


class Games:
    """The open games of this process, by name and by channel."""

    def __init__(self, games: Sequence[Game] = ()) -> None:
        self._by_name = {game.name: game for game in games}
        self._by_channel = {game.channel: game for game in games}

    def add(self, game: Game) -> None:
        """Open a game; raises ValueError when its name or channel is taken."""
        if game.name in self._by_name or game.channel in self._by_channel:
            raise ValueError(f"{game.name} or its channel {game.channel} is open already")
        self._by_name[game.name] = game
        self._by_channel[game.channel] = game

    def remove(self, game: Game) -> None:
        """Forget a game that runs no more."""
        del self._by_name[game.name]
        del self._by_channel[game.channel]

    def get(self, name: str) -> Game | None:
        """The game of that name, if it is open."""
        return self._by_name.get(name)

    def by_channel(self, channel: int) -> Game | None:
        """The game of that channel, if it is open."""
        return self._by_channel.get(channel)

    def __iter__(self) -> Iterator[Game]:
        return iter(self._by_name.values())

    def __len__(self) -> int:
        return len(self._by_name)
