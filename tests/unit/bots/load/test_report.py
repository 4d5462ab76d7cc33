"""The report: its figures, its words, its page."""

from html.parser import HTMLParser

import pytest

from bots.load.page import page
from bots.load.report import Report
from bots.load.svg import nice_step, short
from bots.load.text import lines
from tests.support.load_reports import report

GOLDEN = """\
               clients     px/s  refused      p50      p95      p99      max  ack p99  server
step 1              22     10.0        0     20.9     38.0     39.6     40.0     20.0     50%
step 2              22     10.0        0     20.9     38.0     39.6     40.0     20.0     50%
the whole run       22     10.0        0     20.9     38.0     39.6     40.0     20.0     50%
p50 to max: milliseconds from a placer's send to a follower's frame; server: of a core

placements: 100 sent, 100 accepted, 0 lost
deliveries: 2,200 pixels in 1,100 frames, 0 of them merged; 0 holes, 0 followers behind at the end
lines: 0 cut, 0 tries to connect failed
a viewer: 0.72 MB an hour
server memory: 64 MB at the most
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
        ({"proven": -1}, {}, "1 boards were not proven"),
        ({"behind": 3}, {}, "3 followers were not told of everything"),
        ({}, {"HTTP 404": 2}, "2 clients failed"),
    ],
)
def test_what_is_missing_fails_without_any_goal(
    counts: dict[str, int], failures: dict[str, int], said: str
) -> None:
    counts = {**counts, "proven": 4 + counts["proven"]} if "proven" in counts else counts
    made = report(None, failures, **counts)
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


def test_a_tool_that_is_busy_itself_says_so() -> None:
    assert report().warnings == ()
    assert "held back" in report(None, None, **{"held back": 3}).warnings[0]


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


@pytest.mark.parametrize(
    ("least", "step"), [(0.0, 1.0), (0.03, 0.05), (1.0, 1.0), (21.0, 25.0), (260.0, 500.0)]
)
def test_axes_have_round_numbers(least: float, step: float) -> None:
    assert nice_step(least) == pytest.approx(step)


@pytest.mark.parametrize(("value", "text"), [(0.0, "0"), (950, "950"), (2500, "2.5k"), (3e6, "3M")])
def test_numbers_are_short(value: float, text: str) -> None:
    assert short(value) == text
