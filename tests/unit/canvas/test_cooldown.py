import pytest
from hypothesis import given
from hypothesis import strategies as st

from canvas.cooldown import MAX_COOLDOWN_MS, CooldownRule, Cooldowns

DAY_MS = 24 * 3600 * 1000


def test_one_placement_then_the_whole_cooldown() -> None:
    cooldowns = Cooldowns(CooldownRule(300))
    assert (cooldowns.left_ms("a", 1000), cooldowns.stack("a", 1000)) == (0, 1)
    assert cooldowns.start("a", 1000) == 1300
    assert [cooldowns.left_ms("a", now) for now in (1000, 1001, 1299, 1300, 1301)] == [
        300,
        299,
        1,
        0,
        0,
    ]
    assert [cooldowns.stack("a", now) for now in (1299, 1300)] == [0, 1]
    assert cooldowns.left_ms("b", 1000) == 0


def test_no_cooldown_keeps_nothing() -> None:
    cooldowns = Cooldowns(CooldownRule(0))
    assert cooldowns.start("a", 1000) == 1000
    assert (cooldowns.left_ms("a", 1000), cooldowns.stack("a", 1000), len(cooldowns)) == (0, 1, 0)


def test_a_stack_is_spent_and_earned_one_by_one() -> None:
    cooldowns = Cooldowns(CooldownRule(100, 3))
    for left in (2, 1, 0):
        assert cooldowns.left_ms("a", 0) == 0
        cooldowns.start("a", 0)
        assert cooldowns.stack("a", 0) == left
    assert cooldowns.left_ms("a", 0) == 100
    assert [cooldowns.stack("a", now) for now in (99, 100, 199, 200, 300, 9999)] == [
        0,
        1,
        1,
        2,
        3,
        3,
    ]


@given(
    st.integers(1, 50),
    st.integers(1, 5),
    st.lists(st.tuples(st.integers(0, 120), st.booleans()), max_size=30),
)
def test_a_stack_is_a_function_of_one_number(
    ms: int, max_stack: int, turns: list[tuple[int, bool]]
) -> None:
    """C35: against a bucket that is filled millisecond by millisecond."""
    cooldowns = Cooldowns(CooldownRule(ms, max_stack))
    now_ms, tokens, earned_ms = 0, max_stack, 0
    for wait_ms, restart in turns:
        for _ in range(wait_ms):
            earned_ms = 0 if tokens == max_stack else earned_ms + 1
            if earned_ms == ms:
                tokens, earned_ms = tokens + 1, 0
        now_ms += wait_ms
        if restart:
            ends_ms = cooldowns.full_at_ms()
            cooldowns = Cooldowns(cooldowns.rule)
            for user, end_ms in ends_ms.items():
                cooldowns.restore(user, end_ms - now_ms, now_ms)
        assert cooldowns.stack("a", now_ms) == tokens <= max_stack
        assert cooldowns.left_ms("a", now_ms) == (0 if tokens else ms - earned_ms)
        assert cooldowns.standing("a", now_ms) == (tokens, cooldowns.left_ms("a", now_ms))
        if tokens:
            cooldowns.start("a", now_ms)
            tokens -= 1


@pytest.mark.parametrize(("left_ms", "kept_ms"), [(-5, 0), (0, 0), (7, 7), (300, 300), (9999, 300)])
def test_what_is_restored_is_clamped(left_ms: int, kept_ms: int) -> None:
    cooldowns = Cooldowns(CooldownRule(100, 3))
    cooldowns.restore("a", left_ms, 1000)
    assert cooldowns.full_left_ms("a", 1000) == kept_ms


def test_a_restored_one_takes_the_place_of_an_earlier_one() -> None:
    cooldowns = Cooldowns(CooldownRule(100))
    cooldowns.start("a", 0)
    cooldowns.restore("a", 0, 10)
    assert cooldowns.left_ms("a", 10) == 0
    assert cooldowns.forget_expired(10) == 1
    assert cooldowns.forget_expired(10) == 0


@given(st.lists(st.integers(0, 80), min_size=1, max_size=12), st.integers(1, 4))
def test_placements_taken_again_leave_the_same_cooldown(waits: list[int], max_stack: int) -> None:
    rule = CooldownRule(50, max_stack)
    lived, replayed = Cooldowns(rule), Cooldowns(rule)
    at_ms, placed = 1000, []
    for wait_ms in waits:
        at_ms += wait_ms
        if lived.left_ms("a", at_ms) == 0:
            lived.start("a", at_ms)
            placed.append(at_ms)
    now_ms = at_ms + 5
    for placed_ms in placed:
        replayed.replay("a", placed_ms, 50, now_ms)
    assert replayed.full_left_ms("a", now_ms) == lived.full_left_ms("a", now_ms)


def test_a_placement_of_the_future_costs_no_more_than_now() -> None:
    """C36: the wall clock went back by an hour over a restart."""
    cooldowns = Cooldowns(CooldownRule(300))
    cooldowns.replay("a", 1000, 300, 1000)
    cooldowns.replay("b", 5000, 300, 1000)
    assert cooldowns.left_ms("a", 1000) == cooldowns.left_ms("b", 1000) == 300


def test_a_changed_rule_leaves_running_ones_their_end() -> None:
    cooldowns = Cooldowns(CooldownRule(300))
    cooldowns.start("a", 0)
    cooldowns.rule = CooldownRule(10)
    assert (cooldowns.left_ms("a", 100), cooldowns.left_ms("a", 300)) == (200, 0)
    cooldowns.rule = CooldownRule(0)
    assert (cooldowns.left_ms("a", 100), cooldowns.stack("a", 100)) == (200, 0)
    cooldowns.rule = CooldownRule(100, 5)
    assert cooldowns.stack("a", 100) == 3


def test_a_hundred_days_fit() -> None:
    """C46."""
    cooldowns = Cooldowns(CooldownRule(100 * DAY_MS))
    cooldowns.start("a", 0)
    assert cooldowns.left_ms("a", 1) == 100 * DAY_MS - 1


@pytest.mark.parametrize(
    ("ms", "max_stack"), [(-1, 1), (MAX_COOLDOWN_MS + 1, 1), (1, 0), (1, 1001)]
)
def test_impossible_rules_are_refused(ms: int, max_stack: int) -> None:
    with pytest.raises(ValueError, match="is not possible"):
        CooldownRule(ms, max_stack)


def test_a_rule_in_json() -> None:
    assert CooldownRule(5).to_json() == {"rule": "fixed", "ms": 5, "maxStack": 1}
    assert CooldownRule(5, 2).to_json() == {"rule": "stack", "ms": 5, "maxStack": 2}


def test_expired_ones_are_forgotten() -> None:
    cooldowns = Cooldowns(CooldownRule(10))
    for number in range(100):
        cooldowns.start(str(number), number)
    assert cooldowns.forget_expired(60, visits=1000) == 51
    assert cooldowns.full_at_ms() == {str(number): number + 10 for number in range(51, 100)}


@given(
    st.lists(st.tuples(st.integers(0, 40), st.sampled_from([None, 0, 10, 25])), max_size=40),
    st.integers(1, 3),
)
def test_the_quick_way_is_asking_and_starting(
    turns: list[tuple[int, int | None]], max_stack: int
) -> None:
    """Whatever the rule has been before."""
    quick, plain = (Cooldowns(CooldownRule(20, max_stack)) for _ in range(2))
    now_ms = 0
    for wait_ms, changed_ms in turns:
        now_ms += wait_ms
        if changed_ms is not None:
            quick.rule = plain.rule = CooldownRule(changed_ms, max_stack)
        full_at_ms = quick.full_after_one("a", now_ms)
        allowed = plain.left_ms("a", now_ms) == 0
        assert (full_at_ms is not None) == allowed
        if full_at_ms is not None:
            quick.start_until("a", full_at_ms)
            assert plain.start("a", now_ms) == full_at_ms
        assert quick.full_at_ms() == plain.full_at_ms()
