"""The figures in the documents are those of the saved results, and every benchmark has some."""

from bench.__main__ import NAMES
from bench.results import BEGIN, END, TABLE, Result, Row, load_all, table


def test_the_page_shows_the_saved_results() -> None:
    text = TABLE.read_text(encoding="utf-8")
    assert text.split(BEGIN)[1].split(END)[0].strip() == table(load_all()).strip()


def test_every_benchmark_has_saved_results() -> None:
    assert {result.name for result in load_all()} == set(NAMES)


def test_a_goal_that_is_missed_is_shown_as_missed() -> None:
    rows = [
        Row("slow", 2.0, "ms", 1.0),
        Row("fast", 5.0, "/s", 4.0, "higher"),
        Row("told", 1.0, ""),
    ]
    assert [row.met for row in rows] == [False, True, None]
    shown = table([Result("one", rows, "how")])
    assert "| one | slow | 2 ms | ≤ 1 ms | **no** |" in shown
