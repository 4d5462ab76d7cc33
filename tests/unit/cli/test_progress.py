"""What is said of the progress of a command: a bar on a terminal, else a line now and then."""

from io import StringIO

from rich.console import Console

from server.cli.progress import LINE_EVERY, shown_progress


def test_a_log_gets_a_line_now_and_then() -> None:
    said, now = StringIO(), [0.0]
    with shown_progress("Reading", Console(file=said, width=80), lambda: now[0]) as advance:
        for done in range(0, 1000, 100):
            now[0] += LINE_EVERY / 4
            advance(done, 2000)
    assert said.getvalue().splitlines() == [
        "Reading: 300 of 2,000 (15%)",
        "Reading: 700 of 2,000 (35%)",
    ]


def test_what_is_done_soon_says_nothing() -> None:
    said = StringIO()
    with shown_progress("Reading", Console(file=said), lambda: 0.0) as advance:
        advance(0, 0)
        advance(5, 5)
    assert said.getvalue() == ""


def test_a_terminal_gets_a_bar() -> None:
    said = StringIO()
    console = Console(file=said, force_terminal=True, width=80)
    with shown_progress("Reading", console) as advance:
        advance(5, 10)
    assert "Reading" in said.getvalue()
    assert "5/10" in said.getvalue()
