"""The head: what has been decided in one game, published or not.

Owns seq, geometry, settings, cooldowns, remembered requests, and the placements that are decided
but not yet in the tail. It reads the tail's board and never writes it, knows no store and never
awaits. The game calls it: one synchronous call decides and numbers; `settle` lets go of what was
published.
"""

from collections import deque
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, Protocol

from canvas.address import AddressBudgets, AddressPolicy
from canvas.bans import Bans
from canvas.base import LaidPicture
from canvas.board import Board
from canvas.cooldown import Cooldowns
from canvas.events import BaseImported, Event, PixelPlaced, Resized, SettingsChanged
from canvas.geometry import MAX_SIDE
from canvas.growth import Lineage, grow
from canvas.layers import CELL_SHIFT, Layers, Overlay, cell_key
from canvas.mask import Mask
from canvas.placement import Placement
from canvas.refusals import Refusal
from canvas.requests import Remembered, Requests
from canvas.rules import here, judge
from canvas.settings import Settings

MAX_PENDING = 20_000

FAR_PAST_MS, FAR_FUTURE_MS = -(1 << 62), 1 << 62

_new_tuple = tuple.__new__
"""Makes an event without the call of its own `__new__`: 0.3 us less for each placement."""


class Tail(Protocol):
    """The published state that lies under the head; both may be replaced when the board grows."""

    @property
    def board(self) -> Board:
        """The published cells."""
        ...

    @property
    def lineage(self) -> Lineage:
        """The published frames; `board` is in the last of them."""
        ...


class Head:
    """The decided state of one game, at first that of its tail.

    `seq` and `last_ms` are those of the newest numbered event. `max_pending` may be set: 0 refuses
    every further placement as `busy`.
    """

    __slots__ = (
        "_accepted",
        "_asked",
        "_closes_ms",
        "_colors",
        "_frame",
        "_layers",
        "_level",
        "_now_ms",
        "_opens_ms",
        "_overlay",
        "_requests",
        "_settled_seq",
        "_tail",
        "bans",
        "budgets",
        "cooldowns",
        "geometry",
        "last_ms",
        "lineage",
        "mask",
        "max_pending",
        "seq",
        "settings",
    )

    def __init__(
        self,
        tail: Tail,
        settings: Settings,
        *,
        seq: int = 0,
        last_ms: int = 0,
        policy: AddressPolicy | None = None,
        bans: Bans | None = None,
        mask: Mask | None = None,
        max_pending: int = MAX_PENDING,
    ) -> None:
        self.lineage = tail.lineage
        self.geometry = tail.lineage.geometry
        self.cooldowns = Cooldowns(settings.cooldown)
        self.budgets = AddressBudgets(policy or AddressPolicy())
        self.bans = bans or Bans()
        self.mask = mask
        self.max_pending = max_pending
        self.seq = seq
        self.last_ms = last_ms
        self._now_ms = 0
        self._tail = tail
        self._settled_seq = seq
        self._requests = Requests()
        self._asked = self._requests.by_identity
        self._accepted: deque[PixelPlaced] = deque()
        self._overlay: Overlay = {}
        self._layers = Layers()
        # The tail's board while it is all that lies under the overlay, which it mostly is.
        self._level: Board | None = tail.board
        self._frame = self.geometry.as_tuple()
        self._rule(settings)

    def _rule(self, settings: Settings) -> None:
        """Put settings in force, with what the quick test of `place` needs of them."""
        self.settings = settings
        self.cooldowns.rule = settings.cooldown
        self._colors = settings.palette.usable
        starts_ms, ends_ms = settings.starts_at_ms, settings.ends_at_ms
        self._opens_ms = FAR_PAST_MS if starts_ms is None else starts_ms
        self._closes_ms = FAR_FUTURE_MS if ends_ms is None else ends_ms
        if settings.locked:
            self._closes_ms = FAR_PAST_MS

    @property
    def pending(self) -> int:
        """Placements that are decided and not yet settled."""
        return len(self._accepted)

    def place(
        self, placement: Placement, now_ms: int, wall_ms: int
    ) -> PixelPlaced | Refusal | Remembered:
        """Decide a placement, and number it when it is accepted.

        A request number that was accepted before gets its first outcome again.
        """
        user, address, key, x, y, color, generation, request, index = placement
        asked = self._asked.get(user)
        if asked is not None and request in asked:
            first = self._requests.lookup(user, request, index, wall_ms)
            if first is not None:
                return Remembered(first, first.seq <= self._settled_seq)
        width, height, _, _, current = self._frame
        # What is plainly allowed, as most are, is spared the table of rules: 1 us of 3.
        plain = (
            (generation is None or generation == current)
            and 0 <= x < width
            and 0 <= y < height
            and color in self._colors
            and self._opens_ms <= wall_ms < self._closes_ms
            and self.mask is None
            and not (self.bans.any and self.bans.of(user, address, wall_ms))
            and len(self._accepted) < self.max_pending
            and (full_at_ms := self.cooldowns.full_after_one(user, now_ms)) is not None
            and (not key or self.budgets.take(key, user, now_ms, full_at_ms))
        )
        if plain:
            self.cooldowns.start_until(user, full_at_ms)  # type: ignore[arg-type]  # being plain
        else:
            refusal = judge(self, placement, now_ms, wall_ms)
            if refusal is not None:
                return refusal
            x, y = here(self, placement)
            self.budgets.start(key, user, now_ms, self.cooldowns.start(user, now_ms))
        self._now_ms = now_ms
        event = self._accept(user, key, x, y, color, request, index, wall_ms)
        if request is not None:
            self._requests.note(event, request, asked)
        return event

    def _accept(
        self,
        user: str,
        key: str,
        x: int,
        y: int,
        color: int,
        request: int | None,
        index: int,
        wall_ms: int,
    ) -> PixelPlaced:
        _, _, offset_x, offset_y, generation = self._frame
        cell = (y - offset_y << CELL_SHIFT) + x - offset_x
        below, board = self._overlay.get(cell), self._level
        self.seq = seq = self.seq + 1
        if wall_ms > self.last_ms:  # noqa: PLR1730  # max() costs 0.1 us
            self.last_ms = wall_ms
        if below is not None:
            previous = below.color
        else:
            previous = board.get(x, y) if board is not None else self._under(x, y)
        fields = (
            seq,
            self.last_ms,
            x,
            y,
            color,
            generation,
            offset_x,
            offset_y,
            previous,
            user,
            key,
            request,
            index,
            self.cooldowns.rule.ms,
        )
        event = _new_tuple(PixelPlaced, fields)
        self._accepted.append(event)
        self._overlay[cell] = event
        return event

    def change(self, changes: Mapping[str, Any], wall_ms: int) -> SettingsChanged:
        """Number a change of settings; it is in force at once.

        Raises ValueError naming what is wrong, and then nothing is changed.
        """
        self._rule(self.settings.changed(changes))
        return SettingsChanged(self._next_seq(), self._next_ms(wall_ms), dict(changes))

    def resize(self, direction: str, amount: int, label: str | None, wall_ms: int) -> Resized:
        """Number a growth, clamped to the cap; placements are judged on the bigger board at once.

        Raises ValueError for a bad direction or amount, and when nothing is left to grow.
        """
        growth = grow(self.geometry, direction, amount)
        if (growth.width, growth.height) == (self.geometry.width, self.geometry.height):
            raise ValueError(
                f"the board cannot grow {direction}: it has reached the cap of {MAX_SIDE} cells"
            )
        self.lineage = self.lineage.append(growth)
        self.geometry = geometry = self.lineage.geometry
        self._frame = geometry.as_tuple()
        self._level = None
        self.mask = None if self.mask is None else self.mask.grown(growth)
        return Resized(
            seq=self._next_seq(),
            at_ms=self._next_ms(wall_ms),
            generation=geometry.generation,
            width=geometry.width,
            height=geometry.height,
            offset_x=geometry.offset_x,
            offset_y=geometry.offset_y,
            shift_x=growth.shift_x,
            shift_y=growth.shift_y,
            label=label,
        )

    def lay(
        self, laid: LaidPicture, blob: str, crc32: int, user_id: str, wall_ms: int
    ) -> BaseImported:
        """Number a base picture: later placements lie over it, earlier ones under it.

        Raises ValueError for a colour that the palette does not have, and for a picture that was
        laid out for another frame than the present one.
        """
        laid.check(self.geometry, self.settings.palette)
        self._layers.push(laid, self._overlay)
        self._overlay = {}
        self._level = None
        seq, at_ms = self._next_seq(), self._next_ms(wall_ms)
        return BaseImported.of(laid, blob, crc32, seq=seq, at_ms=at_ms, user_id=user_id)

    def _next_seq(self) -> int:
        self.seq += 1
        return self.seq

    def _next_ms(self, wall_ms: int) -> int:
        """Wall clock of the next event: it never runs backwards, whatever the clock does."""
        self.last_ms = max(self.last_ms, wall_ms)
        return self.last_ms

    def settle(self, events: Sequence[Event]) -> None:
        """Let go of the next events in order of seq, which the tail has applied by now."""
        overlay, accepted = self._layers.oldest(self._overlay), self._accepted
        shift = CELL_SHIFT
        for event in events:
            if type(event) is not PixelPlaced:
                if type(event) is BaseImported:
                    self._layers.pop()
                    overlay = self._layers.oldest(self._overlay)
                continue
            placed = accepted.popleft()
            cell = (placed.y - placed.offset_y << shift) + placed.x - placed.offset_x
            if overlay[cell] is placed:
                del overlay[cell]
        if events:
            self._settled_seq = events[-1].seq
            self._level = self._level_board()
            self.forget_expired(self._now_ms, self.last_ms)

    def _level_board(self) -> Board | None:
        tail = self._tail
        level = tail.lineage.geometry.generation == self.geometry.generation
        return tail.board if level and not self._layers else None

    def color_at(self, x: int, y: int) -> int:
        """Decided colour of a cell of the current generation. Raises IndexError outside of it."""
        geometry = self.geometry
        event = self._overlay.get(cell_key(x - geometry.offset_x, y - geometry.offset_y))
        return self._under(x, y) if event is None else event.color

    def _under(self, x: int, y: int) -> int:
        """Colour under the overlay: of pending pictures and what is below, or the published."""
        geometry = self.geometry
        color = self._layers.color_at(x - geometry.offset_x, y - geometry.offset_y)
        return self._published(x, y) if color is None else color

    def _published(self, x: int, y: int) -> int:
        """Read the tail, which may be some growths behind: what it lacks is fresh ground."""
        geometry, tail = self.geometry, self._tail
        behind = tail.lineage.geometry
        if not geometry.contains(x, y):
            raise IndexError(f"({x}, {y}) is outside of {geometry.width} x {geometry.height}")
        x += behind.offset_x - geometry.offset_x
        y += behind.offset_y - geometry.offset_y
        return tail.board.get(x, y) if behind.contains(x, y) else self.settings.palette.empty

    def last_accepted(self, user: str, wall_ms: int) -> PixelPlaced | None:
        """Return the user's newest settled placement that has a request number."""
        return self._requests.last(user, self._settled_seq, wall_ms)

    def forget_expired(self, now_ms: int, wall_ms: int, visits: int | None = None) -> None:
        """Forget what has run out, looking at so many of each kind at most.

        `settle` looks at as many as are new, which bounds the memory; a timer may do more.
        """
        self.cooldowns.forget_expired(now_ms, visits)
        self.budgets.forget_expired(now_ms, visits)
        self._requests.forget_expired(wall_ms, visits)

    def dump(self, now_ms: int, wall_ms: int) -> Callable[[], dict[str, Any]]:
        """Hold what outlives a restart beside the board, as of the settled seq.

        What is returned describes it as JSON and may run on another thread: for 20,000 users that
        takes a tenth of a second, the hold some milliseconds.
        """
        full_at_ms = self.cooldowns.full_at_ms()
        unsettled_ms: dict[str, int] = {}
        for event in self._accepted:
            user = event.user_id
            unsettled_ms[user] = unsettled_ms.get(user, 0) + event.cost_ms
        seq = self._settled_seq
        addresses, requests = self.budgets.dump(now_ms), self._requests.dump(seq)
        return lambda: {
            "seq": seq,
            "wallMs": wall_ms,
            "cooldowns": {
                user: at_ms - now_ms - unsettled_ms.get(user, 0)
                for user, at_ms in full_at_ms.items()
                if at_ms > now_ms
            },
            "addresses": addresses(),
            "requests": requests(),
        }

    def restore(self, dumped: Mapping[str, Any], now_ms: int, wall_ms: int) -> None:
        """Take in what a dump described; a clock that went back since then adds nothing."""
        away_ms = max(0, wall_ms - dumped["wallMs"])
        for user, left_ms in dumped["cooldowns"].items():
            self.cooldowns.restore(user, left_ms - away_ms, now_ms)
        self.budgets.restore(dumped["addresses"], away_ms, now_ms)
        self._requests.restore(dumped["requests"])

    def replay(self, events: Iterable[Event], now_ms: int, wall_ms: int) -> None:
        """Take the cooldowns and requests of recovered events again; after `restore`, in order."""
        for event in events:
            if type(event) is PixelPlaced:
                at_ms = now_ms - max(0, wall_ms - event.at_ms)
                self._replay_limits(event, at_ms, now_ms)
                self._requests.add(event)

    def _replay_limits(self, event: PixelPlaced, at_ms: int, now_ms: int) -> None:
        user = event.user_id
        self.cooldowns.replay(user, at_ms, event.cost_ms, now_ms)
        end_ms = now_ms + self.cooldowns.full_left_ms(user, now_ms)
        self.budgets.start(event.address_key, user, at_ms, end_ms if end_ms > now_ms else at_ms)
