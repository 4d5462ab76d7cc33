"""Each rule by itself, and their order."""

import numpy as np
import pytest

from canvas.address import AddressPolicy
from canvas.bans import Ban, Bans
from canvas.cooldown import CooldownRule
from canvas.events import PixelPlaced
from canvas.head import Head
from canvas.mask import Mask
from canvas.placement import Placement
from canvas.refusals import FOREVER_MS, Refusal, Refused
from canvas.rules import RULES
from tests.support.heads import PLACEMENT, head_of

OF_THE_SESSION = [Refused.RATE, Refused.UNKNOWN_GAME, Refused.SPECTATOR]
WALL_MS = 1_000_000


def refused(head: Head, placement: Placement, now_ms: int = 0, wall_ms: int = WALL_MS) -> Refusal:
    outcome = head.place(placement, now_ms, wall_ms)
    assert isinstance(outcome, Refusal)
    return outcome


def accepted(head: Head, placement: Placement, now_ms: int = 0, wall_ms: int = WALL_MS) -> None:
    assert isinstance(head.place(placement, now_ms, wall_ms), PixelPlaced)


def test_the_rules_come_in_the_order_of_the_refusals() -> None:
    assert OF_THE_SESSION + [why for why, _ in RULES] == list(Refused)


def all_broken() -> tuple[Head, Placement]:
    """A head and a placement that it refuses for every reason at once."""
    bans = Bans()
    bans.add_user("b", Ban("spam"))
    closed = np.ones((3, 7), np.uint8)
    closed[0, 0] = 0
    head, _ = head_of(
        rule=CooldownRule(300),
        policy=AddressPolicy(budget=1),
        bans=bans,
        mask=Mask.of(closed),
        max_pending=1,
    )
    accepted(head, PLACEMENT)
    head.change({"locked": True, "endsAt": WALL_MS}, WALL_MS)
    return head, PLACEMENT._replace(generation=9, x=7, y=0, color=16, user_id="b")


def test_of_several_reasons_the_first_is_told() -> None:
    head, placement = all_broken()
    told = [refused(head, placement).why]
    for mended in (
        placement := placement._replace(generation=0),
        placement := placement._replace(x=0),
        placement := placement._replace(color=3),
    ):
        told.append(refused(head, mended).why)
    head.change({"endsAt": None}, WALL_MS)
    told.append(refused(head, placement).why)
    head.bans.remove_user("b")
    told.append(refused(head, placement).why)
    head.change({"locked": False}, WALL_MS)
    told.append(refused(head, placement).why)
    placement = placement._replace(x=1, user_id="a")
    told.append(refused(head, placement).why)
    placement = placement._replace(user_id="b")
    told.append(refused(head, placement).why)
    placement = placement._replace(address_key="work")
    told.append(refused(head, placement).why)
    assert told == [why for why, _ in RULES]
    head.max_pending = 2
    accepted(head, placement)


@pytest.mark.parametrize("generation", [1, -1, 2**32 - 1])
def test_stale_generation(generation: int) -> None:
    head, _ = head_of()
    refusal = refused(head, PLACEMENT._replace(generation=generation))
    assert (refusal.why, refusal.message) == (
        Refused.STALE_GENERATION,
        "That generation of the board is not known here; resync the game",
    )


@pytest.mark.parametrize(
    ("x", "y"), [(7, 0), (0, 3), (-1, 0), (0, -1), (65_536, 0), (0, 2**31), (2**64, 2**64)]
)
@pytest.mark.parametrize("generation", [None, 0])
def test_out_of_bounds(x: int, y: int, generation: int | None) -> None:
    head, _ = head_of()
    refusal = refused(head, PLACEMENT._replace(x=x, y=y, generation=generation))
    assert (refusal.why, refusal.message) == (
        Refused.OUT_OF_BOUNDS,
        "That cell is outside the board; use x 0-6 and y 0-2",
    )


def test_bounds_are_those_of_the_frames_generation() -> None:
    head, _ = head_of()
    head.resize("right", 5, None, WALL_MS)
    assert refused(head, PLACEMENT._replace(x=7, generation=0)).why is Refused.OUT_OF_BOUNDS
    accepted(head, PLACEMENT._replace(x=7, generation=1))


@pytest.mark.parametrize("color", [-1, 16, 63])
def test_bad_color(color: int) -> None:
    head, _ = head_of()
    refusal = refused(head, PLACEMENT._replace(color=color))
    assert (refusal.why, refusal.message) == (
        Refused.BAD_COLOR,
        f"Color {color} is not in the palette; use 0-15",
    )


def test_a_gap_in_the_palette_is_a_bad_color() -> None:
    head, _ = head_of()
    palette = head.settings.palette.to_json()
    palette[3] = None
    head.change({"palette": palette}, WALL_MS)
    assert refused(head, PLACEMENT).message == "Color 3 is not in the palette; use 0-2, 4-15"
    accepted(head, PLACEMENT._replace(color=4))


def test_before_the_beginning_and_from_the_end_on() -> None:
    head, _ = head_of()
    head.change({"startsAt": 1000, "endsAt": 2000}, 0)
    early = refused(head, PLACEMENT, wall_ms=990)
    assert (early.why, early.left_ms) == (Refused.ENDED, 10)
    accepted(head, PLACEMENT, wall_ms=1000)
    accepted(head, PLACEMENT, wall_ms=1999)
    late = refused(head, PLACEMENT, wall_ms=2000)
    assert (late.why, late.left_ms) == (Refused.ENDED, FOREVER_MS)


def test_banned() -> None:
    head, _ = head_of()
    head.bans.add_user("a", Ban("spam", WALL_MS + 5))
    head.bans.add_address("192.0.2.0/24", Ban("farm"))
    of_user = refused(head, PLACEMENT)
    assert of_user == Refusal(Refused.BANNED, "You are banned for leftMs: spam", 5)
    of_address = refused(head, PLACEMENT._replace(user_id="b"))
    assert of_address == Refusal(Refused.BANNED, "You are banned for good: farm", FOREVER_MS)
    accepted(head, PLACEMENT._replace(user_id="b", address="198.51.100.1"))


def test_locked() -> None:
    head, _ = head_of()
    head.change({"locked": True}, WALL_MS)
    assert refused(head, PLACEMENT).why is Refused.LOCKED
    head.change({"lockReason": "a pause"}, WALL_MS)
    assert "The board is locked: a pause;" in refused(head, PLACEMENT).message
    head.change({"locked": False}, WALL_MS)
    accepted(head, PLACEMENT)


def test_masked_moves_with_the_board() -> None:
    closed = np.ones((3, 7), np.uint8)
    closed[2, 1] = 0
    head, _ = head_of(mask=Mask.of(closed))
    assert refused(head, PLACEMENT).why is Refused.MASKED
    head.resize("left", 2, None, WALL_MS)
    assert refused(head, PLACEMENT._replace(generation=0)).why is Refused.MASKED
    assert refused(head, PLACEMENT._replace(x=3)).why is Refused.MASKED
    accepted(head, PLACEMENT)


def test_cooldown_tells_what_is_left() -> None:
    head, _ = head_of(rule=CooldownRule(300))
    accepted(head, PLACEMENT, now_ms=0)
    refusal = refused(head, PLACEMENT, now_ms=299)
    assert (refusal.why, refusal.left_ms) == (Refused.COOLDOWN, 1)
    accepted(head, PLACEMENT, now_ms=300)


def test_address_cooldown_tells_what_is_left() -> None:
    head, _ = head_of(rule=CooldownRule(300), policy=AddressPolicy(budget=1))
    accepted(head, PLACEMENT, now_ms=0)
    refusal = refused(head, PLACEMENT._replace(user_id="b"), now_ms=200)
    assert (refusal.why, refusal.left_ms, refusal.scope) == (
        Refused.ADDRESS_COOLDOWN,
        100,
        "address",
    )
    accepted(head, PLACEMENT._replace(user_id="c", address_key=""), now_ms=200)


def test_busy_comes_with_a_delay() -> None:
    head, tail = head_of(max_pending=1)
    event = head.place(PLACEMENT, 0, WALL_MS)
    refusal = refused(head, PLACEMENT)
    assert (refusal.why, refusal.left_ms) == (Refused.BUSY, 1000)
    assert isinstance(event, PixelPlaced)
    tail.apply([event])
    head.settle([event])
    accepted(head, PLACEMENT)
    head.max_pending = 0
    assert refused(head, PLACEMENT).why is Refused.BUSY
