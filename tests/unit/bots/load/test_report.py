"""The report: its figures, its words, its page."""

import re
from collections import Counter
from dataclasses import replace
from html.parser import HTMLParser
from typing import Any

import numpy as np
import pytest

from bots.load.goals import Goals, Verdict
from bots.load.making import made
from bots.load.page import page
from bots.load.report import Report
from bots.load.svg import Curve, nice_step, plot, short
from bots.load.tally import Slot
from bots.load.text import lines, told
from tests.support.load_reports import GAUGES, plan, report, timeline

GOLDEN = """\
                    clients    px/s deliveries/s refused   cut   MB/h  CPU   MB
step 1                   22    10.0          220       0     0   0.72  50%   64
step 2                   22    10.0          220       0     0   0.72  50%   64
the whole run            22    10.0          220       0     0   0.72  50%   64
MB/h: sent to one client. CPU and MB: the server's; of a core, and at the most.

milliseconds                   send to follower              send to answer
                       p50    p95    p99    max    p50    p95    p99    max
step 1                20.9   38.0   39.6   40.0    9.4   20.0   20.0   20.0
step 2                20.9   38.0   39.6   40.0    9.4   20.0   20.0   20.0
the whole run         20.9   38.0   39.6   40.0    9.4   20.0   20.0   20.0

placements: 100 sent, 100 accepted, 0 lost
deliveries: 2,200 pixels in 1,100 frames, 0 of them merged
followers: 0 holes, 0 behind at the end
lines: 0 cut, 0 tries to connect failed
boards: 4 of 4 equal the server's
reached: --goal-p99-ms 50, step 1: is 39.55
reached: --goal-p99-ms 50, step 2: is 39.55
MISSED: --goal-ack-p99-ms 5, step 1: is 20
MISSED: --goal-ack-p99-ms 5, step 2: is 20
Not reached: missed: --goal-ack-p99-ms."""


def test_the_words_of_a_whole_report() -> None:
    made = report({"p99-ms": 50.0, "ack-p99-ms": 5.0})
    assert "\n".join(lines(made)) == GOLDEN
    assert not made.succeeded


@pytest.mark.parametrize(
    ("counts", "failures", "said"),
    [
        ({"proven": -1}, {}, "boards not proven: 1"),
        ({"behind": 3}, {}, "followers not told of everything: 3"),
        ({}, {"HTTP 404": 2}, "clients that failed: 2"),
    ],
)
def test_what_is_missing_fails_without_any_goal(
    counts: dict[str, int], failures: dict[str, int], said: str
) -> None:
    happened: dict[str, Any] = dict(counts)
    if "proven" in counts:
        happened["proven"] += 4
    made = report(None, failures, **happened)
    assert not made.succeeded
    assert said in list(lines(made))[-1]


def test_a_refusal_names_the_flag_that_lifts_it() -> None:
    made = report()
    whole = made.whole.model_copy(update={"refused": {"address-cooldown": 7}})
    said = "\n".join(lines(made.model_copy(update={"whole": whole})))
    assert "refused address-cooldown: 7 (start the server with --address-budget 0" in said


def test_what_a_server_says_does_not_move_the_cursor() -> None:
    assert "\x1b" not in "\n".join(lines(report(None, {"bye \x1b[2J": 1})))


def test_the_json_can_be_read_again() -> None:
    made = report({"p99-ms": 50.0})
    assert Report.model_validate_json(made.model_dump_json()) == made


def test_nothing_is_doubtful_as_a_rule() -> None:
    assert report().warnings == ()


def test_placements_that_were_held_back_are_doubtful() -> None:
    happened: dict[str, Any] = {"held back": 3}
    assert "3 placements were held back" in report(**happened).warnings[0]


@pytest.mark.parametrize(
    ("fields", "said"),
    [
        ({"busiest": 0.9}, "step 2: a process of this tool took 90% of a core"),
        ({"machine_cpu": 0.99}, "step 2: this machine was 99% busy"),
    ],
)
def test_a_step_whose_delays_are_the_tools_own_is_named(fields: dict[str, Any], said: str) -> None:
    warnings = report(gauges=replace(GAUGES, **fields)).warnings
    assert len(warnings) == 2
    assert warnings[1].startswith(said)


def test_a_tool_that_is_late_says_so() -> None:
    of = plan()
    run = timeline(of)
    late = Slot()
    late.late.add_all(np.full(100, 0.08))
    run.add(of.phases[1].start_s, late)
    made_of = made(of, run, Counter(), Goals({}), processes=2, started_at="")
    (warning,) = made_of.warnings
    assert warning.startswith("step 2: this tool itself was late, p99 80 ms")


def test_a_step_that_was_cut_short_is_as_long_as_it_was() -> None:
    early = report(ended_s=3.0)
    (step,) = early.steps
    assert (step.start_s, step.stop_s) == (1, 3)
    assert step.deliveries_per_s == pytest.approx(220)
    assert "the run was ended after 3 of 10 s" in early.warnings


def test_a_goal_is_not_reached_by_a_step_that_never_began() -> None:
    early = report({"p99-ms": 50.0}, ended_s=3.0)
    assert [(v.span, v.measured, v.reached) for v in early.verdicts] == [
        ("step 1", pytest.approx(39.55, rel=0.01), True), ("step 2", None, False),
    ]  # fmt: skip
    assert not early.succeeded
    assert "MISSED: --goal-p99-ms 50, step 2: was not measured" in list(lines(early))


def test_the_tables_fit_a_terminal_of_80_columns() -> None:
    made = report()
    huge = made.whole.model_copy(
        update={
            "name": "the whole scenario", "connected": 50_000.0, "accepted": 999_990,
            "delivered": 10**12, "deliveries_per_s": 9_999_999.0, "refused": {"rate": 999_999},
            "cuts": 9999, "mb_per_viewer_hour": 99_999.0, "server_cpu": 1.5,
        }
    )  # fmt: skip
    said = list(lines(made.model_copy(update={"whole": huge})))
    tables = said[: said.index("", said.index("") + 1)]
    assert max(map(len, tables)) <= 80
    assert "9,999,999" in said[3]


def test_a_large_figure_is_written_out() -> None:
    assert "is 123,457" in told(
        Verdict(
            flag="--goal-refused", span="the whole run", goal=0, measured=123_457, reached=False
        )
    )


class Outline(HTMLParser):
    """Counts the elements of a page, and finds what it would load."""

    def __init__(self) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.loaded: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        self.loaded += [f"{name}={value}" for name, value in attrs if name in {"src", "href"}]


def outlined(text: str) -> Outline:
    outline = Outline()
    outline.feed(text)
    return outline


def test_the_page_stands_alone() -> None:
    text = page(report({"p99-ms": 50.0}))
    outline = outlined(text)
    assert outline.loaded == []
    assert not {"script", "link", "img", "iframe"} & set(outline.tags)
    assert "url(" not in text
    assert "@import" not in text


def test_the_page_shows_every_step_and_every_plot() -> None:
    outline = outlined(page(report()))
    assert outline.tags.count("svg") == 7
    assert outline.tags.count("tr") == 4
    assert outline.tags.count("polyline") == 10
    assert outline.tags.count("rect") == 2 * 7


def test_what_a_server_says_is_no_markup() -> None:
    text = page(report(None, {"<script>alert(1)</script>": 1}))
    assert "script" not in outlined(text).tags


def test_a_page_of_a_run_that_ended_at_once() -> None:
    made = report().model_copy(update={"moments": ()})
    assert "svg" in outlined(page(made)).tags


def test_a_single_moment_is_a_dot() -> None:
    drawn = plot([0.0, 1.0, 2.0], [Curve("p50", "a", [None, 3.0, None])], (), "ms")
    (points,) = re.findall(r'points="([^"]+)"', drawn)
    first, second = points.split()
    assert first == second


@pytest.mark.parametrize(
    ("least", "step"), [(0.0, 1.0), (0.03, 0.05), (1.0, 1.0), (21.0, 25.0), (260.0, 500.0)]
)
def test_axes_have_round_numbers(least: float, step: float) -> None:
    assert nice_step(least) == pytest.approx(step)


@pytest.mark.parametrize(("value", "text"), [(0.0, "0"), (950, "950"), (2500, "2.5k"), (3e6, "3M")])
def test_numbers_are_short(value: float, text: str) -> None:
    assert short(value) == text
