from hypothesis import given
from hypothesis import strategies as st

from canvas.ends import Ends


def test_a_sweep_forgets_what_is_over_and_no_more() -> None:
    ends = Ends()
    for key, end_ms in [("a", 10), ("b", 30), ("c", 20)]:
        ends.put(key, end_ms)
    assert ends.sweep(10, 20) == ["a", "c"]
    assert ends.at_ms == {"b": 30}
    assert (ends.sweep(10, 29), len(ends)) == ([], 1)


def test_a_sweep_visits_no_more_than_it_is_given() -> None:
    ends = Ends()
    for number in range(10):
        ends.put(str(number), 0)
    assert ends.sweep(3, 1) == ["0", "1", "2"]
    assert ends.sweep(3, 1) == ["3", "4", "5"]


def test_an_end_moves_without_a_second_visit() -> None:
    ends = Ends()
    ends.put("a", 10)
    ends.put("a", 50)
    assert ends.sweep(10, 20) == []
    assert ends.sweep(10, 50) == ["a"]
    assert ends.sweep(10, 50) == []


def test_one_can_be_dropped_while_it_runs() -> None:
    ends = Ends()
    ends.put("a", 100)
    ends.put("b", 100)
    assert ends.drop_one() == "a"
    assert ends.sweep(10, 100) == ["b"]


@given(st.integers(1, 50), st.integers(200, 400))
def test_one_visit_a_key_keeps_it_below_twice_what_runs(running: int, keys: int) -> None:
    ends = Ends()
    for now_ms in range(keys):
        ends.put(str(now_ms), now_ms + running)
        ends.sweep(1, now_ms)
        assert len(ends) <= 2 * running + 1
