"""Goals: what is judged where, and what was not measured."""

import pytest

from bots.load.goals import GOALS, Goals, Verdict
from tests.support.load_reports import report, span


def judged(name: str, bound: float, **fields: object) -> list[Verdict]:
    made = span(**fields)
    return list(Goals({name: bound}).judged((made, made), made))


def test_a_delay_is_judged_in_every_step() -> None:
    verdicts = judged("p99-ms", 50.0)
    assert [(v.flag, v.measured, v.reached) for v in verdicts] == [
        ("--goal-p99-ms", 40.0, True)
    ] * 2


@pytest.mark.parametrize(("bound", "reached"), [(2.9, False), (3.0, True)])
def test_a_count_is_judged_once(bound: float, reached: bool) -> None:
    (verdict,) = judged("refused", bound, refused={"cooldown": 2, "rate": 1})
    assert (verdict.measured, verdict.reached) == (3.0, reached)


def test_what_was_not_measured_reaches_nothing() -> None:
    assert not any(verdict.reached for verdict in judged("server-cpu", 1e9, server_cpu=None))


@pytest.mark.parametrize("name", sorted(GOALS))
def test_every_goal_has_a_figure_of_the_report(name: str) -> None:
    assert all(verdict.measured is not None for verdict in judged(name, 0.0))


def test_a_report_without_goals_succeeds_when_nothing_is_missing() -> None:
    assert report().succeeded
