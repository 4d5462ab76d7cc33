from hypothesis import given
from hypothesis import strategies as st

from canvas.ends import Ends


def test_a_sweep_forgets_what_is_over_and_no_more() -> None:
    ends = Ends()
    for key, end_ms in [("a", 10), ("b", 30), ("c", 20)]:
        ends.put(key, end_ms)
    assert ends.sweep(20, 10) == ["a", "c"]
    assert ends.at_ms == {"b": 30}
    assert (ends.sweep(29, 10), len(ends)) == ([], 1)


def test_a_sweep_visits_no_more_than_it_is_given() -> None:
    ends = Ends()
    for number in range(10):
        ends.put(str(number), 0)
    assert ends.sweep(1, 3) == ["0", "1", "2"]
    assert ends.sweep(1, 3) == ["3", "4", "5"]


def test_a_sweep_without_a_number_visits_as_many_as_are_new() -> None:
    ends = Ends()
    for number in range(4):
        ends.put(str(number), 0 if number else 100)
    ends.put("0", 200)
    assert ends.sweep(1, 1) == []
    assert ends.sweep(1) == ["1", "2", "3"]
    assert ends.sweep(300) == []
    ends.put("4", 400)
    assert ends.sweep(300) == ["0"]


def test_an_end_moves_without_a_second_visit() -> None:
    ends = Ends()
    ends.put("a", 10)
    ends.put("a", 50)
    assert ends.sweep(20, 10) == []
    assert ends.sweep(50, 10) == ["a"]
    assert ends.sweep(50, 10) == []


def test_one_can_be_dropped_while_it_runs() -> None:
    ends = Ends()
    ends.put("a", 100)
    ends.put("b", 100)
    assert ends.drop_one() == "a"
    assert ends.sweep(100, 10) == ["b"]


@given(st.integers(1, 50), st.integers(200, 400))
def test_one_visit_a_key_keeps_it_below_twice_what_runs(running: int, keys: int) -> None:
    ends = Ends()
    for now_ms in range(keys):
        ends.put(str(now_ms), now_ms + running)
        ends.sweep(now_ms)
        assert len(ends) <= 2 * running + 1
