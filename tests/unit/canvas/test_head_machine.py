"""Any order of placing, growing, importing and publishing, against a plain model and the rules."""

import numpy as np
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

from canvas.address import AddressPolicy
from canvas.bans import Ban
from canvas.base import UNTOUCHED, LaidPicture
from canvas.cooldown import CooldownRule
from canvas.events import Event, PixelPlaced
from canvas.growth import DIRECTIONS
from canvas.placement import Placement
from canvas.rules import judge
from tests.support.heads import head_of

PLACEMENTS = st.builds(
    Placement,
    user_id=st.sampled_from(["a", "b", "c", "d"]),
    address=st.sampled_from(["192.0.2.7", "2001:db8::7"]),
    address_key=st.sampled_from(["home", "work", ""]),
    x=st.integers(-1, 9),
    y=st.integers(-1, 9),
    color=st.integers(-1, 16),
    generation=st.none() | st.integers(0, 4),
    request=st.none(),
    index=st.just(0),
)


class HeadMachine(RuleBasedStateMachine):
    @initialize(ms=st.sampled_from([0, 20, 100]), stack=st.integers(1, 3), budget=st.integers(0, 2))
    def found(self, ms: int, stack: int, budget: int) -> None:
        self.head, self.tail = head_of(
            7, 3, CooldownRule(ms, stack), policy=AddressPolicy(budget=budget), max_pending=6
        )
        self.pending: list[Event] = []
        self.colors: dict[tuple[int, int], int] = {}
        """By original position."""
        self.now_ms = 0

    @rule(placement=PLACEMENTS)
    def place(self, placement: Placement) -> None:
        refusal = judge(self.head, placement, self.now_ms, self.now_ms)
        outcome = self.head.place(placement, self.now_ms, self.now_ms)
        if refusal is not None:
            assert outcome == refusal
            return
        assert isinstance(outcome, PixelPlaced)
        original = (outcome.x - outcome.offset_x, outcome.y - outcome.offset_y)
        frame = self.head.lineage.frame(
            outcome.generation if placement.generation is None else placement.generation
        )
        assert frame is not None
        assert original == (placement.x - frame.offset_x, placement.y - frame.offset_y)
        assert outcome.previous == self.colors.get(original, 15)
        self.colors[original] = placement.color
        self.pending.append(outcome)

    @rule(direction=st.sampled_from(DIRECTIONS), amount=st.integers(1, 3))
    @precondition(lambda self: self.head.geometry.generation < 4)
    def grow(self, direction: str, amount: int) -> None:
        self.pending.append(self.head.resize(direction, amount, None, self.now_ms))

    @rule(
        cells=st.lists(st.sampled_from([0, 3, 15, UNTOUCHED]), min_size=6, max_size=6),
        x=st.integers(0, 4),
        y=st.integers(0, 1),
    )
    def lay(self, cells: list[int], x: int, y: int) -> None:
        geometry = self.head.geometry
        picture = np.array(cells, np.uint8).reshape(2, 3)
        laid = LaidPicture.of(picture, x, y, geometry)
        self.pending.append(self.head.lay(laid, "blob", 0, "a", self.now_ms))
        for number, color in enumerate(cells):
            if color != UNTOUCHED:
                at = (x + number % 3 - geometry.offset_x, y + number // 3 - geometry.offset_y)
                self.colors[at] = color

    @rule(
        locked=st.booleans(),
        starts=st.none() | st.integers(-5, 100),
        ends=st.none() | st.integers(0, 500),
    )
    def change(self, locked: bool, starts: int | None, ends: int | None) -> None:
        if starts is not None and ends is not None and ends <= starts:
            ends = None
        changes = {"locked": locked, "startsAt": starts, "endsAt": ends}
        self.pending.append(self.head.change(changes, self.now_ms))

    @rule(user=st.sampled_from(["a", "b"]), lifted=st.booleans())
    def ban(self, user: str, lifted: bool) -> None:
        if lifted:
            self.head.bans.remove_user(user)
        else:
            self.head.bans.add_user(user, Ban("spam", self.now_ms + 50))

    @rule(wait_ms=st.integers(1, 60))
    def wait(self, wait_ms: int) -> None:
        self.now_ms += wait_ms

    @rule(count=st.integers(1, 8))
    def publish(self, count: int) -> None:
        published, self.pending = self.pending[:count], self.pending[count:]
        self.tail.apply(published)
        self.head.settle(published)

    @invariant()
    def head_shows_what_was_decided(self) -> None:
        geometry = self.head.geometry
        for (x, y), color in self.colors.items():
            assert self.head.color_at(x + geometry.offset_x, y + geometry.offset_y) == color
        assert self.head.pending == sum(type(event) is PixelPlaced for event in self.pending)

    @invariant()
    def numbers_have_no_hole(self) -> None:
        seqs = [event.seq for event in self.pending]
        assert seqs == list(range(self.head.seq - len(seqs) + 1, self.head.seq + 1))

    def teardown(self) -> None:
        self.publish(len(self.pending))
        self.head_shows_what_was_decided()
        assert not self.head._overlay


HeadMachine.TestCase.settings = settings(max_examples=30, stateful_step_count=20)
TestHeadMachine = HeadMachine.TestCase
