"""How a load test looks while it runs: a live table in a terminal, plain lines elsewhere.

Owns the console and how often it is brought up to date. Called by the command line.
"""

import asyncio

from rich.console import Console, RenderableType
from rich.live import Live
from rich.progress_bar import ProgressBar
from rich.table import Table
from rich.text import Text

from bots.load.crowd import PLAYING, Crowd
from bots.load.text import milliseconds
from bots.report import printable

TABLE_EVERY_S = 0.5
LINE_EVERY_S = 5.0
BAR_COLUMNS = 40


class Screen:
    """Shows one crowd on one console."""

    def __init__(self, crowd: Crowd, console: Console) -> None:
        self._crowd = crowd
        self._console = console

    async def run(self) -> None:
        """Show until cancelled."""
        if not self._console.is_terminal:
            while True:
                await asyncio.sleep(LINE_EVERY_S)
                line = " | ".join(f"{name} {value}" for name, value in rows(self._crowd))
                self._console.print(line, highlight=False, soft_wrap=True, markup=False)
        with Live(console=self._console, transient=True, auto_refresh=False) as live:
            while True:
                live.update(self.rendered(), refresh=True)
                await asyncio.sleep(TABLE_EVERY_S)

    def rendered(self) -> RenderableType:
        """Draw the moment."""
        crowd = self._crowd
        table = Table(show_header=False, box=None, padding=(0, 2, 0, 0))
        table.add_column(style="bold cyan", no_wrap=True)
        table.add_column()
        seconds = crowd.plan.seconds
        bar = ProgressBar(seconds, min(crowd.elapsed_s, seconds), width=BAR_COLUMNS)
        table.add_row("", bar)  # alone, a bar would not end its line
        for name, value in rows(crowd):
            table.add_row(name, Text(value))
        return table


def rows(crowd: Crowd) -> list[tuple[str, str]]:
    """Return what is shown, as names and values; rates and delays are of the last seconds."""
    lately, seconds = crowd.timeline.lately()
    whole = crowd.timeline.whole.slot
    delays, acks = lately.deliveries, lately.acks
    shown = [
        ("time", _time(crowd)),
        ("connected", f"{crowd.connected:,} of {crowd.plan.clients:,}"),
        ("placed", f"{whole.counts['accepted']:,}, {lately.counts['accepted'] / seconds:,.0f}/s"),
        ("deliveries", f"{lately.counts['delivered'] / seconds:,.0f}/s"),
        ("to a follower", _told(delays.percentile_s(0.5), delays.percentile_s(0.99))),
        ("ack", _told(acks.percentile_s(0.5), acks.percentile_s(0.99))),
        ("refused", ", ".join(f"{c} {n:,}" for c, n in whole.refused.most_common()) or "none"),
        ("cuts, holes", f"{whole.counts['cuts']:,}, {whole.counts['holes']:,}"),
        ("busiest process", f"{crowd.busiest:.0%} of a core"),
    ]
    if crowd.server_cpu is not None:
        shown.append(("server", f"{crowd.server_cpu:.0%} of a core"))
    if crowd.trouble and crowd.connected < crowd.plan.clients:
        shown.append(("trouble", printable(crowd.trouble)))
    return shown


def _time(crowd: Crowd) -> str:
    if crowd.state != PLAYING:
        return f"{crowd.elapsed_s:.0f} s, {crowd.state}"
    return f"{crowd.elapsed_s:.0f} of {crowd.plan.seconds} s, {_phase(crowd)}"


def _phase(crowd: Crowd) -> str:
    for phase in crowd.plan.phases:
        if crowd.elapsed_s < phase.start_s:
            return f"joining for {phase.name}"
        if crowd.elapsed_s < phase.stop_s:
            return phase.name
    return crowd.state


def _told(*values_s: float | None) -> str:
    p50, p99 = (milliseconds(None if v is None else v * 1000) for v in values_s)
    return f"p50 {p50} ms, p99 {p99} ms"
