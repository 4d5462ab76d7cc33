"""From flags and scenarios to who comes when."""

from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from bots.load.goals import Goals
from bots.load.making import made
from bots.load.plan import Plan, Steps, of_scenario, of_steps
from bots.load.seats import seats
from bots.load.timeline import Timeline
from bots.options import Refused
from bots.scenario import read_scenario


def planned(**fields: Any) -> Plan:
    steps = Steps(
        **{
            "spectators": (0,), "placers": (0,), "rates": (), "step_s": 10, "joins_per_s": 100.0,
            "pattern": "random", **fields,
        }
    )  # fmt: skip
    return of_steps(steps, url="ws://h/ws", game="place#main", seed=0, provers=4)


def test_steps_add_the_new_ones_and_are_timed_without_their_joining() -> None:
    plan = planned(spectators=(100, 500), placers=(10, 10), rates=(1.0, 2.0))
    assert [(p.name, p.start_s, p.stop_s) for p in plan.phases] == [
        ("step 1", 2, 12), ("step 2", 16, 26),
    ]  # fmt: skip
    assert plan.seconds == 26
    assert [(p.name, p.count, p.windows[0].start_s, p.ramp_s) for p in plan.parts] == [
        ("spectators", 100, 0.0, 2.0), ("spectators", 400, 12.0, 4.0), ("placers", 10, 0.0, 2.0),
    ]  # fmt: skip
    assert [plan.parts[2].rate_at(at_s) for at_s in (0, 11.9, 12, 25)] == [1.0, 1.0, 2.0, 2.0]


def test_one_number_holds_for_every_step() -> None:
    plan = planned(spectators=(10, 20, 30), placers=(5,), rates=(3.0,))
    assert plan.clients == 35
    assert len(plan.phases) == 3


def test_without_a_rate_the_cooldown_says() -> None:
    assert planned(placers=(5,)).parts[0].rate_at(3.0) is None


def test_tokens_go_to_the_first_placers_over_all_steps() -> None:
    plan = planned(placers=(2, 4), tokens=("a", "b", "c"))
    assert [part.tokens for part in plan.parts] == [("a", "b"), ("c",)]


@pytest.mark.parametrize(
    ("fields", "said"),
    [
        ({}, "nobody to send"),
        ({"spectators": (10, 5)}, "--spectators: the numbers fall"),
        ({"placers": (1, 2, 3), "rates": (1.0, 2.0)}, "3 steps, but --rate has 2"),
        ({"spectators": (50_000,), "placers": (1,)}, "50,001 clients in all; 50,000 are the most"),
    ],
)
def test_what_makes_no_sense_says_what_helps(fields: dict[str, Any], said: str) -> None:
    with pytest.raises(Refused, match=said):
        planned(**fields)


def test_every_process_gets_its_share_and_provers_are_spread() -> None:
    plan = planned(spectators=(90,), placers=(10,))
    each = list(seats(plan))
    shares = Counter((seat.number % 2, seat.part.name) for seat in each)
    assert set(shares.values()) == {45, 5}
    assert [seat.number for seat in each if seat.proves] == [24, 49, 74, 99]


def test_who_leaves_before_the_end_proves_nothing(tmp_path: Path) -> None:
    (tmp_path / "scene.toml").write_text(SCENE)
    plan = of_scenario(read_scenario(tmp_path / "scene.toml"), "scene.toml", 16)
    assert Counter(seat.part.name for seat in seats(plan) if seat.proves) == {"crowd": 16}


def test_where_all_leave_nobody_proves(tmp_path: Path) -> None:
    scene = SCENE.replace("ramp = 3", "ramp = 3\nstop = 9")
    (tmp_path / "scene.toml").write_text(scene)
    plan = of_scenario(read_scenario(tmp_path / "scene.toml"), "scene.toml", 16)
    assert not any(seat.proves for seat in seats(plan))
    told = made(plan, Timeline(plan.phases), Counter(), Goals({}), processes=1, started_at="")
    assert "no board was proven: nobody stays to the end" in told.warnings


def test_a_plan_survives_the_way_to_a_process() -> None:
    plan = planned(spectators=(1, 2), placers=(1, 2), rates=(1.0, 2.0), tokens=("t",))
    assert Plan.model_validate_json(plan.model_dump_json()) == plan


SCENE = """
seconds = 20
[[group]]
name = "crowd"
way = "spectate"
count = 30
ramp = 3
[[group]]
name = "rush"
way = "hotspot"
count = 5
rate = 2.0
start = 5
stop = 8
every = 6
repeat = 2
"""


def test_a_scenario_becomes_a_plan(tmp_path: Path) -> None:
    (tmp_path / "scene.toml").write_text(SCENE)
    plan = of_scenario(read_scenario(tmp_path / "scene.toml"), "scene.toml", 2)
    crowd, rush = plan.parts
    assert (crowd.pattern, crowd.count, crowd.ramp_s, crowd.places) == ("spectate", 30, 3.0, False)
    assert [(w.start_s, w.stop_s) for w in rush.windows] == [(5.0, 8.0), (11.0, 14.0)]
    assert (rush.places, rush.rate_at(6.0), plan.seconds) == (True, 2.0, 20)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (SCENE.replace("seconds = 20", ""), "scene.toml: seconds: is missing"),
        (SCENE.replace('"hotspot"', '"life"'), "does not play 'life'; known: random, walk"),
    ],
)
def test_a_scenario_that_cannot_be_played_is_told(tmp_path: Path, text: str, said: str) -> None:
    (tmp_path / "scene.toml").write_text(text)
    with pytest.raises(Refused, match=said):
        of_scenario(read_scenario(tmp_path / "scene.toml"), "scene.toml", 2)
