import pytest
from hypothesis import given
from hypothesis import strategies as st

from canvas.address import UNLIMITED, AddressBudgets, AddressPolicy


def test_so_many_cooldowns_at_once_and_then_the_first_end() -> None:
    budgets = AddressBudgets(AddressPolicy(budget=2))
    budgets.start("home", "a", 0, 300)
    budgets.start("home", "b", 50, 350)
    assert budgets.left_ms("home", "c", 100) == 200
    assert budgets.left_ms("home", "c", 299) == 1
    assert budgets.left_ms("home", "c", 300) == 0
    budgets.start("home", "c", 300, 600)
    assert budgets.left_ms("home", "a", 310) == 40


def test_a_user_whose_cooldown_runs_counts_once() -> None:
    budgets = AddressBudgets(AddressPolicy(budget=2))
    budgets.start("home", "a", 0, 100)
    budgets.start("home", "a", 0, 200)
    budgets.start("home", "b", 10, 110)
    assert budgets.left_ms("home", "a", 20) == 0
    assert budgets.left_ms("home", "c", 20) == 90
    assert budgets.left_ms("home", "c", 110) == 0


def test_addresses_do_not_share() -> None:
    budgets = AddressBudgets(AddressPolicy(budget=1))
    budgets.start("home", "a", 0, 100)
    assert (budgets.left_ms("home", "b", 0), budgets.left_ms("work", "b", 0)) == (100, 0)


def test_the_shortest_time_between_two_placements() -> None:
    budgets = AddressBudgets(AddressPolicy(cooldown_ms=50, budget=0))
    budgets.start("home", "a", 0, 0)
    assert [budgets.left_ms("home", user, 49) for user in "ab"] == [1, 1]
    assert budgets.left_ms("home", "a", 50) == 0


def test_the_longer_of_both_limits_is_told() -> None:
    budgets = AddressBudgets(AddressPolicy(cooldown_ms=50, budget=1))
    budgets.start("home", "a", 0, 20)
    assert budgets.left_ms("home", "b", 10) == 40
    budgets.start("home", "a", 10, 500)
    assert budgets.left_ms("home", "b", 20) == 480


@pytest.mark.parametrize("policy", [AddressPolicy(0, 0), AddressPolicy(0, 40)])
def test_nothing_is_kept_where_nothing_runs(policy: AddressPolicy) -> None:
    budgets = AddressBudgets(policy)
    budgets.start("home", "a", 5, 5)
    assert (budgets.left_ms("home", "a", 5), len(budgets)) == (0, 0)


def test_the_empty_key_is_never_limited() -> None:
    budgets = AddressBudgets(AddressPolicy(cooldown_ms=50, budget=1))
    for user in "abc":
        budgets.start(UNLIMITED, user, 0, 100)
    assert (budgets.left_ms(UNLIMITED, "d", 0), len(budgets)) == (0, 0)


def test_negative_limits_are_refused() -> None:
    with pytest.raises(ValueError, match="0 switches one off"):
        AddressPolicy(budget=-1)


def test_idle_addresses_are_forgotten() -> None:
    budgets = AddressBudgets(AddressPolicy(cooldown_ms=10, budget=2))
    budgets.start("home", "a", 0, 300)
    budgets.start("work", "a", 0, 5)
    budgets.start("work", "a", 0, 20)
    assert (budgets.forget_expired(19, 9), budgets.forget_expired(20, 9)) == (0, 1)
    assert budgets.left_ms("work", "b", 20) == 0
    assert (budgets.forget_expired(299, 9), budgets.forget_expired(300, 9)) == (0, 1)
    assert len(budgets) == 0


TURNS = st.lists(
    st.tuples(st.sampled_from("abcdef"), st.integers(0, 40), st.integers(1, 90)), max_size=40
)


@given(TURNS, st.integers(1, 4), st.booleans())
def test_never_more_run_than_the_budget(
    turns: list[tuple[str, int, int]], budget: int, restart: bool
) -> None:
    """Against a plain dict of ends, over a restart too."""
    budgets = AddressBudgets(AddressPolicy(budget=budget))
    end_ms_of: dict[str, int] = {}
    now_ms = 0
    for user, wait_ms, cooldown_ms in turns:
        now_ms += wait_ms
        if restart:
            rows = budgets.dump(now_ms - 5)()
            budgets = AddressBudgets(AddressPolicy(budget=budget))
            budgets.restore(rows, 5, now_ms)
        running = {name: end for name, end in end_ms_of.items() if end > now_ms}
        full = len(running) >= budget and user not in running
        left_ms = budgets.left_ms("home", user, now_ms)
        assert left_ms == (min(running.values()) - now_ms if full else 0)
        if left_ms == 0:
            end_ms_of[user] = max(running.get(user, now_ms), now_ms) + cooldown_ms
            budgets.start("home", user, now_ms, end_ms_of[user])


def test_the_shortest_time_survives_a_restart() -> None:
    budgets = AddressBudgets(AddressPolicy(cooldown_ms=50, budget=0))
    budgets.start("home", "a", 0, 0)
    again = AddressBudgets(AddressPolicy(cooldown_ms=50, budget=0))
    again.restore(budgets.dump(10)(), 15, 1000)
    assert again.left_ms("home", "b", 1000) == 25
    assert budgets.dump(50)() == []


@given(
    st.lists(
        st.tuples(st.sampled_from("abc"), st.integers(0, 30), st.integers(0, 60)), max_size=40
    ),
    st.builds(AddressPolicy, st.sampled_from([0, 7]), st.integers(0, 2)),
)
def test_taking_is_asking_and_starting_in_one(
    turns: list[tuple[str, int, int]], policy: AddressPolicy
) -> None:
    taken, asked = AddressBudgets(policy), AddressBudgets(policy)
    now_ms = 0
    for user, wait_ms, cooldown_ms in turns:
        now_ms += wait_ms
        end_ms = now_ms + cooldown_ms
        allowed = asked.left_ms("home", user, now_ms) == 0
        if allowed:
            asked.start("home", user, now_ms, end_ms)
        assert taken.take("home", user, now_ms, end_ms) == allowed
        assert taken.dump(now_ms)() == asked.dump(now_ms)()


def test_nothing_is_taken_before_an_address_is_free_under_an_older_policy() -> None:
    budgets = AddressBudgets(AddressPolicy(budget=2))
    budgets.start("home", "a", 0, 300)
    budgets.restore([["home", 50, {}]], 0, 0)
    assert not budgets.take("home", "a", 49, 400)
    assert budgets.take("home", "a", 50, 400)
