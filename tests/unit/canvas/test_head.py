"""Numbering, overlay, growth, requests and what outlives a restart."""

import pytest

from canvas.address import AddressPolicy
from canvas.cooldown import CooldownRule
from canvas.events import Event, PixelPlaced, Resized, SettingsChanged
from canvas.geometry import MAX_SIDE
from canvas.head import Head
from canvas.placement import Placement
from canvas.refusals import Refusal
from canvas.requests import Remembered
from tests.support.heads import PLACEMENT, PlainTail, head_of

NUMBERED = PLACEMENT._replace(request=7)


def place(
    head: Head, placement: Placement = PLACEMENT, now_ms: int = 0, wall_ms: int = 1000
) -> PixelPlaced:
    outcome = head.place(placement, now_ms, wall_ms)
    assert isinstance(outcome, PixelPlaced)
    return outcome


def publish(head: Head, tail: PlainTail, *events: Event) -> None:
    tail.apply(events)
    head.settle(events)


def test_an_accepted_placement_is_numbered_and_says_what_was_there() -> None:
    head, _ = head_of(rule=CooldownRule(300), seq=41)
    placement = PLACEMENT._replace(request=7, index=5)
    assert place(head, placement) == PixelPlaced(
        42, 1000, 1, 2, 3, 0, 0, 0, 15, "a", "home", 7, 5, 300
    )
    second = place(head, PLACEMENT._replace(user_id="b", color=4))
    assert (second.seq, second.previous, second.request) == (43, 3, None)


def test_time_never_runs_backwards() -> None:
    head, _ = head_of(last_ms=5000)
    assert [place(head, wall_ms=wall_ms).at_ms for wall_ms in (1000, 5001, 4000, 6000)] == [
        5000,
        5001,
        5001,
        6000,
    ]
    assert head.change({}, 10).at_ms == 6000
    assert head.resize("left", 1, None, 10).at_ms == 6000


def test_a_refusal_changes_nothing() -> None:
    """C49."""
    head, _ = head_of(rule=CooldownRule(300), policy=AddressPolicy(50, 1))
    for wrong in (
        NUMBERED._replace(x=7),
        NUMBERED._replace(color=16),
        NUMBERED._replace(generation=4),
    ):
        assert isinstance(head.place(wrong, 0, 0), Refusal)
    head.max_pending = 0
    assert isinstance(head.place(NUMBERED, 0, 0), Refusal)
    head.max_pending = 10
    assert (head.seq, head.pending, head.cooldowns.standing("a", 0)) == (0, 0, (1, 0))
    assert head.dump(0, 0)()["addresses"] == head.dump(0, 0)()["requests"] == []
    assert place(head, NUMBERED).seq == 1


def test_the_head_is_the_tail_and_what_is_pending() -> None:
    head, tail = head_of()
    first, second = place(head), place(head, PLACEMENT._replace(color=4))
    assert (head.pending, head.color_at(1, 2), tail.board.get(1, 2)) == (2, 4, 15)
    publish(head, tail, first)
    assert (head.pending, head.color_at(1, 2), tail.board.get(1, 2)) == (1, 4, 3)
    publish(head, tail, second)
    assert (head.pending, head.color_at(1, 2), tail.board.get(1, 2)) == (0, 4, 4)
    with pytest.raises(IndexError):
        head.color_at(7, 0)


def test_a_pending_placement_stays_where_it_was_through_a_growth() -> None:
    head, tail = head_of()
    placed = place(head)
    resized = head.resize("left", 2, "wide", 1000)
    assert resized == Resized(2, 1000, 1, 9, 3, 2, 0, 2, 0, "wide")
    assert (head.color_at(3, 2), head.color_at(1, 2)) == (3, 15)
    moved = place(head, PLACEMENT._replace(generation=0, color=5))
    assert (moved.x, moved.y, moved.generation, moved.offset_x, moved.previous) == (3, 2, 1, 2, 3)
    fresh = place(head, PLACEMENT._replace(x=0, y=0))
    assert fresh.previous == 15
    with pytest.raises(IndexError):
        head.color_at(9, 0)
    publish(head, tail, placed, resized, moved)
    assert (head.color_at(3, 2), tail.board.get(3, 2), head.color_at(0, 0)) == (5, 5, 3)
    publish(head, tail, fresh)
    assert (head.pending, tail.board.get(0, 0)) == (0, 3)


def test_what_cannot_grow_is_refused_and_numbers_nothing() -> None:
    head, _ = head_of(MAX_SIDE, 1)
    with pytest.raises(ValueError, match="it has reached the cap of 8000"):
        head.resize("left", 1, None, 0)
    with pytest.raises(ValueError, match="use one of"):
        head.resize("inwards", 1, None, 0)
    assert (head.seq, head.resize("expand", 2, None, 0).height) == (0, 5)


def test_a_change_is_in_force_at_once_or_not_at_all() -> None:
    head, _ = head_of()
    event = head.change({"cooldown": {"ms": 50}}, 1000)
    assert event == SettingsChanged(1, 1000, {"cooldown": {"ms": 50}})
    assert place(head).cost_ms == 50
    with pytest.raises(ValueError, match="there is no setting"):
        head.change({"locked": True, "speed": 3}, 1000)
    assert (head.seq, head.settings.locked) == (2, False)


def test_the_same_request_gets_its_first_outcome() -> None:
    """C69, in the core."""
    head, tail = head_of(rule=CooldownRule(300))
    first = place(head, NUMBERED)
    again = NUMBERED._replace(color=9, x=3)
    assert head.place(again, 5, 1005) == Remembered(first, committed=False)
    publish(head, tail, first)
    assert head.place(again, 5, 1005) == Remembered(first, committed=True)
    assert (head.seq, head.cooldowns.left_ms("a", 5)) == (1, 295)
    assert isinstance(head.place(again._replace(index=1), 5, 1005), Refusal)


def test_a_request_is_looked_up_before_every_rule() -> None:
    head, _ = head_of()
    first = place(head, NUMBERED)
    head.change({"locked": True}, 1000)
    outcome = head.place(NUMBERED._replace(x=99, color=99, generation=99), 0, 1000)
    assert outcome == Remembered(first, committed=False)


def test_a_refused_request_is_not_remembered() -> None:
    head, _ = head_of()
    assert isinstance(head.place(NUMBERED._replace(x=99), 0, 1000), Refusal)
    assert place(head, NUMBERED).seq == 1


def test_only_settled_placements_are_the_last_accepted() -> None:
    head, tail = head_of()
    first = place(head, NUMBERED)
    assert head.last_accepted("a", 1000) is None
    publish(head, tail, first)
    place(head, NUMBERED._replace(request=8))
    assert head.last_accepted("a", 1000) == first
    assert head.last_accepted("b", 1000) is None


def restarted(head: Head, away_ms: int, rule: CooldownRule, policy: AddressPolicy) -> Head:
    again, _ = head_of(rule=rule, policy=policy, seq=head.seq, last_ms=head.last_ms)
    again.restore(head.dump(1000, 50_000)(), 0, 50_000 + away_ms)
    return again


@pytest.mark.parametrize(
    ("away_ms", "left_ms"), [(0, 290), (100, 190), (999, 0), (-3_600_000, 290)]
)
def test_cooldowns_outlive_a_restart(away_ms: int, left_ms: int) -> None:
    """C36, over a restart: a clock that went back adds nothing."""
    rule, policy = CooldownRule(300), AddressPolicy(budget=1)
    head, tail = head_of(rule=rule, policy=policy)
    publish(head, tail, place(head, now_ms=990))
    again = restarted(head, away_ms, rule, policy)
    assert again.cooldowns.left_ms("a", 0) == left_ms
    assert again.budgets.left_ms("home", "b", 0) == left_ms


def test_what_was_never_committed_is_not_in_a_dump() -> None:
    rule = CooldownRule(100, 3)
    head, tail = head_of(rule=rule)
    publish(head, tail, place(head, NUMBERED, 990))
    place(head, NUMBERED._replace(request=8), 995)
    dumped = head.dump(1000, 50_000)()
    assert (dumped["seq"], dumped["cooldowns"]) == (1, {"a": 90})
    assert [row[0] for row in dumped["requests"]] == [1]


@pytest.mark.parametrize("settled", [0, 1, 2, 3])
def test_a_dump_and_what_came_after_it_give_the_whole(settled: int) -> None:
    rule, policy = CooldownRule(100, 3), AddressPolicy(budget=2)
    head, tail = head_of(rule=rule, policy=policy)
    events = [
        place(head, NUMBERED._replace(request=request), now_ms, 49_000 + now_ms)
        for request, now_ms in enumerate([900, 910, 990])
    ]
    publish(head, tail, *events[:settled])
    dumped = head.dump(1000, 50_000)()
    again, _ = head_of(rule=rule, policy=policy, seq=3, last_ms=49_990)
    again.restore(dumped, 7000, 50_020)
    again.replay(events[settled:], 7000, 50_020)
    assert again.cooldowns.standing("a", 7000) == head.cooldowns.standing("a", 1020)
    assert again.budgets.dump(7000)() == head.budgets.dump(1020)()
    for request, event in enumerate(events):
        assert again.place(NUMBERED._replace(request=request), 7000, 50_020) == Remembered(
            event, committed=True
        )


def test_what_ran_out_is_forgotten_while_others_place() -> None:
    head, tail = head_of(rule=CooldownRule(10), policy=AddressPolicy(budget=2))
    for number in range(1000):
        placement = PLACEMENT._replace(user_id=f"user{number}", address_key=f"key{number}")
        publish(head, tail, place(head, placement, now_ms=number))
    assert len(head.cooldowns) <= 21
    assert len(head.budgets) <= 21
