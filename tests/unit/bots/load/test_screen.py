"""What a load test shows while it runs."""

import io

from rich.console import Console

from bots.load.crowd import PLAYING, Crowd
from bots.load.screen import Screen, rows
from tests.support.load_reports import plan, timeline


def crowd() -> Crowd:
    made = Crowd(plan(), 2, None, now_s=lambda: 0.0)
    made.timeline = timeline(made.plan)
    return made


def test_every_row_has_a_value() -> None:
    shown = dict(rows(crowd()))
    assert shown["time"] == "0 s, starting"
    assert shown["connected"] == "0 of 44"
    assert shown["placed"].startswith("100, ")
    assert "server" not in shown
    assert all(shown.values())


def test_it_is_drawn_with_a_bar() -> None:
    console = Console(file=io.StringIO(), width=100, force_terminal=True)
    console.print(Screen(crowd(), console).rendered())
    assert isinstance(console.file, io.StringIO)
    drawn = console.file.getvalue()
    assert "connected" in drawn
    bar = next(line for line in drawn.splitlines() if "━" in line)
    assert "time" not in bar


def test_while_it_plays_the_step_is_told() -> None:
    playing = crowd()
    playing.state = PLAYING
    assert dict(rows(playing))["time"] == "0 of 10 s, joining for step 1"
