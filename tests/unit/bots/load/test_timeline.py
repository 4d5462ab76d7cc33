"""Seconds of all processes put together."""

import pytest

from bots.load.plan import Phase
from bots.load.tally import Slot, Tally
from bots.load.timeline import LATE_S, MOST_POINTS, Gauges, Timeline


def slot(accepted: int = 1, delay_s: float = 0.01) -> Slot:
    made = Slot()
    made.counts["accepted"] = accepted
    made.refused["cooldown"] = 1
    made.deliveries.add(delay_s)
    return made


def timeline() -> Timeline:
    return Timeline((Phase(name="step 1", start_s=2, stop_s=4),))


def test_a_second_counts_in_its_step_and_in_the_whole() -> None:
    run = timeline()
    for second in (1, 2, 3, 4):
        run.add(second, slot())
        run.sample(second, Gauges(connected=10 * second, server_cpu=0.5, server_bytes=7))
    assert run.whole.slot.counts["accepted"] == 4
    step = run.periods[0]
    assert step.slot.counts["accepted"] == 2
    assert (step.seconds, step.client_seconds, step.server_cpu) == (2, 50, [0.5, 0.5])


def test_a_second_becomes_a_point_when_it_is_complete() -> None:
    run = timeline()
    run.sample(0, Gauges(connected=5))
    run.add(0, slot())
    run.sample(LATE_S, Gauges())
    assert run.points == []
    run.add(0, slot(delay_s=0.5))
    run.sample(LATE_S + 1, Gauges())
    (point,) = run.points
    assert (point.accepted, point.refused, point.gauges.connected) == (2, 2, 5)
    assert point.delivery_p99_s == pytest.approx(0.5, rel=0.01)


def test_what_comes_too_late_still_counts_in_the_totals() -> None:
    run = timeline()
    run.sample(LATE_S + 1, Gauges())
    run.add(0, slot())
    assert run.whole.slot.counts["accepted"] == 1
    assert run.lately()[0].counts["accepted"] == 0


def test_points_are_bounded_and_nothing_of_them_is_lost() -> None:
    run = timeline()
    for second in range(3 * MOST_POINTS):
        run.add(second, slot(delay_s=1.0 if second == 5 else 0.01))
        run.sample(second, Gauges(connected=1))
    run.end()
    assert len(run.points) <= MOST_POINTS
    assert sum(point.accepted for point in run.points) == 3 * MOST_POINTS
    assert sum(point.seconds for point in run.points) == 3 * MOST_POINTS
    assert max(point.delivery_p99_s or 0.0 for point in run.points) == pytest.approx(1.0, rel=0.01)


def test_a_process_hands_on_each_count_once() -> None:
    now_s = 7.5
    tally = Tally(lambda: now_s)
    tally.slot().counts["sent"] += 1
    tally.slot(3.2).acks.add(0.01)
    taken = tally.take()
    assert sorted(taken) == [3, 7]
    assert tally.take() == {}
    again = Slot.from_json(taken[3].to_json())
    assert again.acks.count == 1
    assert again.deliveries.count == 0
