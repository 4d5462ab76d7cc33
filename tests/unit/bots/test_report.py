"""The tally and its three forms: line, table, verdict."""

from collections import Counter, deque
from io import StringIO

from rich.console import Console
from tesserae_client import Placed, Refused

from bots.report import Tally, line, percentile_ms, progress_rows, summary, table, verdict
from bots.way import Progress

PLACED = Placed(seq=1, x=0, y=0, color=1, left_ms=0, stack_left=0, request=1)
REFUSED = Refused("cooldown", 0, 0, 1, true_color=2, seq=1, left_ms=9, request=1)


def test_a_line_tells_everything():
    tally = Tally(bots=2, spectators=1, boards=3, connected=3)
    for took_s in (0.001, 0.002, 0.003, 0.1):
        tally.note(PLACED, took_s)
    tally.note(REFUSED, 0.001)
    tally.look(2.0)
    told = line(tally)
    assert "connected 3 of 3" in told
    assert "placed 4" in told
    assert "rate 2.0 px/s" in told
    assert "p50 3.0 ms, p99 100.0 ms" in told
    assert "refused cooldown 1" in told


def test_percentiles_of_nothing():
    assert percentile_ms(deque(), 0.99) == 0.0


def test_the_table_says_the_same():
    console = Console(width=80, record=True, file=StringIO())
    tally = Tally(bots=1, spectators=0, boards=1)
    tally.failures["banned"] += 2
    console.print(table(tally))
    assert "2 x banned" in console.export_text()


def test_what_a_server_says_is_shown_as_it_is_and_moves_no_cursor():
    console = Console(width=80, record=True, file=StringIO())
    tally = Tally(bots=1, spectators=0, boards=1)
    tally.failures["[/bold] \x1b[2J gone"] += 1
    tally.trouble = "[red]\x07"
    console.print(table(tally))
    assert "[/bold] \N{REPLACEMENT CHARACTER}[2J gone" in console.export_text()
    assert "\x1b" not in verdict(tally) + line(tally)
    assert "\x07" not in line(tally)


def test_the_verdict():
    tally = Tally(bots=1, spectators=1, boards=2, verified=2)
    assert tally.all_verified
    assert verdict(tally) == "All 2 boards equal the server's, cell by cell."


def test_the_verdict_after_a_cut():
    tally = Tally(bots=1, spectators=1, boards=2, verified=2)
    tally.failures["cut"] += 1
    assert not tally.all_verified
    assert verdict(tally) == "2 of 2 boards equal the server's; 1 x cut"


def test_the_verdict_of_one_board():
    tally = Tally(bots=9, spectators=1, boards=1, verified=1)
    assert verdict(tally) == "The board equals the server's, cell by cell."


def test_the_rate_is_that_of_the_last_looks():
    tally = Tally(bots=1, spectators=0, boards=1)
    for second in range(1, 100):
        tally.placed += 10 if second < 60 else 2
        tally.look(float(second))
    assert tally.rate == 2.0


def test_progress_tells_what_is_left_and_how_long_it_takes():
    progress = Progress(
        left=300, total=1200, outside=7, dropped=Counter(masked=3), note="n", remark="r"
    )
    shown = dict(progress_rows(progress, rate=2.0))
    assert shown == {
        "done": "900 of 1,200 cells (75.0 %)",
        "left": "300 cells, about 2 min 30 s",
        "beyond the board": "7 cells wait for it to grow",
        "given up": "masked 3",
        "now": "n",
    }
    assert dict(progress_rows(progress, rate=50))["left"] == "300 cells, about 6 s"
    assert dict(progress_rows(progress, rate=0))["left"] == "300 cells"


def test_a_remark_is_made_at_the_end_and_not_in_every_line():
    tally, progress = Tally(bots=1, spectators=0, boards=1), Progress(0, 1, remark="as they are")
    assert "colours as they are" in summary(tally, progress)
    assert "as they are" not in line(tally, progress)


def test_progress_of_nothing():
    assert progress_rows(None, 1.0) == []
    assert progress_rows(Progress(0, 0), 1.0) == [("done", "0 of 0 cells (100.0 %)")]
