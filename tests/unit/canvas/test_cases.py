"""Cases from the field that the core alone decides; the rest of each is in tests/conformance."""

import pytest

from canvas.address import AddressPolicy
from canvas.cooldown import CooldownRule
from canvas.events import PixelPlaced
from canvas.head import Head
from canvas.placement import Placement
from canvas.refusals import Refusal, Refused
from tests.support.heads import PLACEMENT, head_of

COOLDOWN_MS = 300_000


def reasons(head: Head, placements: list[Placement], now_ms: int = 0) -> list[Refused | None]:
    outcomes = [head.place(placement, now_ms, 1000) for placement in placements]
    return [outcome.why if isinstance(outcome, Refusal) else None for outcome in outcomes]


def test_c14_the_original_position_outlives_growth() -> None:
    head, _ = head_of(20, 20)
    before = head.place(PLACEMENT._replace(x=10, y=10), 0, 0)
    head.resize("left", 100, None, 0)
    head.resize("up", 7, None, 0)
    after = head.place(PLACEMENT._replace(x=110, y=17), 0, 0)
    assert isinstance(before, PixelPlaced)
    assert isinstance(after, PixelPlaced)
    assert (after.x - after.offset_x, after.y - after.offset_y) == (10, 10)
    assert (before.x - before.offset_x, before.y - before.offset_y) == (10, 10)
    assert after.previous == before.color


def test_c33_of_a_hundred_at_once_one_is_accepted() -> None:
    head, _ = head_of(rule=CooldownRule(COOLDOWN_MS))
    sockets = [PLACEMENT._replace(request=n, index=n % 3, x=n % 7) for n in range(100)]
    assert reasons(head, sockets) == [None] + [Refused.COOLDOWN] * 99
    assert head.seq == 1


@pytest.mark.parametrize(("now_ms", "why"), [(299_999, Refused.COOLDOWN), (300_000, None)])
def test_c41_accepted_only_at_or_after_the_end(now_ms: int, why: Refused | None) -> None:
    head, _ = head_of(rule=CooldownRule(COOLDOWN_MS))
    assert reasons(head, [PLACEMENT], 0) == [None]
    assert reasons(head, [PLACEMENT], now_ms) == [why]


def guests(count: int) -> list[Placement]:
    return [PLACEMENT._replace(user_id=f"guest{number}") for number in range(count)]


@pytest.mark.parametrize("stack", [1, 3])
def test_c47_thirty_players_behind_one_address_each_place_once_per_cooldown(stack: int) -> None:
    head, _ = head_of(rule=CooldownRule(COOLDOWN_MS, stack), policy=AddressPolicy(budget=40))
    for now_ms in range(0, 5 * COOLDOWN_MS, COOLDOWN_MS):
        assert reasons(head, guests(30), now_ms) == [None] * 30


def test_c47_a_farm_never_passes_the_budget() -> None:
    head, _ = head_of(rule=CooldownRule(COOLDOWN_MS), policy=AddressPolicy(budget=40))
    accepted_at_ms = [
        now_ms
        for now_ms in range(0, 3 * COOLDOWN_MS, 10_000)
        for why in reasons(head, guests(200), now_ms)
        if why is None
    ]
    for now_ms in range(0, 3 * COOLDOWN_MS, 10_000):
        window = [at for at in accepted_at_ms if now_ms - COOLDOWN_MS < at <= now_ms]
        assert len(window) <= 40
    assert len(accepted_at_ms) == 120


def test_c50_every_cell_and_every_color_of_small_boards() -> None:
    for width, height in [(7, 3), (3, 7), (1, 1)]:
        head, tail = head_of(width, height, max_pending=10**6)
        for color in range(16):
            events = []
            for y in range(height):
                for x in range(width):
                    event = head.place(PLACEMENT._replace(x=x, y=y, color=color), 0, 0)
                    assert isinstance(event, PixelPlaced)
                    events.append(event)
            tail.apply(events)
            head.settle(events)
            assert tail.board.colors().tolist() == [[color] * width] * height


@pytest.mark.parametrize("side", [1, 2, 8000])
def test_c50_corners(side: int) -> None:
    head, _ = head_of(side, side)
    ends = (0, side - 1)
    corners = [PLACEMENT._replace(x=x, y=y) for x in ends for y in ends]
    assert reasons(head, corners) == [None] * 4
    beyond = [PLACEMENT._replace(x=side), PLACEMENT._replace(y=side), PLACEMENT._replace(x=-1)]
    assert reasons(head, beyond) == [Refused.OUT_OF_BOUNDS] * 3
