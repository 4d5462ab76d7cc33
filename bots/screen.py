"""How a run looks: a live table with a small picture in a terminal, plain lines elsewhere.

Owns the console and how often it is brought up to date; what the words are is report.py's. Called
by the command line.
"""

import asyncio
from collections.abc import AsyncIterator

from rich.console import Console, Group, RenderableType
from rich.live import Live
from rich.table import Table
from rich.text import Text

from bots import report
from bots.stage import Cast, Stage
from bots.team import Team
from pictures.halfblocks import draw

TABLE_EVERY_S = 0.25
LINE_EVERY_S = 5.0
PICTURE_FROM_COLUMNS = 60
TABLE_LINES = 14
"""What the table needs of the height."""
LEAST_LINES = 4
COLUMNS = ("group", "connected", "placed", "rate", "refused", "aim")


class Screen:
    """Shows one stage on one console."""

    def __init__(self, stage: Stage, console: Console) -> None:
        self._stage = stage
        self._console = console

    async def run(self) -> None:
        """Show until cancelled."""
        if not self._console.is_terminal:
            await self._lines()
            return
        with Live(console=self._console, transient=True, auto_refresh=False) as live:
            async for _ in self._looks(TABLE_EVERY_S):
                live.update(self.rendered(), refresh=True)

    def conclude(self) -> None:
        """Write what became of it all."""
        for cast in self._stage.casts:
            for crew in cast.crews:
                self._say(cast, report.summary(crew.tally, cast.progress))
                self._say(cast, report.verdict(crew.tally))
            if cast.shortfall:
                self._say(cast, cast.shortfall)
            if not cast.crews:
                self._say(cast, "did not come before the end")

    def rendered(self) -> RenderableType:
        """Draw the moment."""
        casts = self._stage.casts
        single = len(casts) == 1 and casts[0].crew is not None
        head = _details(casts[0]) if single else _overview(casts)
        pictures = [self._picture(cast.team) for cast in casts]
        return Group(head, *[drawn for drawn in pictures if drawn is not None][:1])

    def _picture(self, team: Team | None) -> RenderableType | None:
        lines = self._console.height - TABLE_LINES
        if team is None or self._console.width < PICTURE_FROM_COLUMNS or lines < LEAST_LINES:
            return None
        cells, watcher = team.shown(), team.watcher
        state = None if watcher is None else watcher.game_state
        if cells is None or state is None:
            return None
        palette = [None if color is None else color.rgb for color in state.palette]
        return draw(cells, palette, self._console.width - 1, lines)

    async def _lines(self) -> None:
        async for _ in self._looks(LINE_EVERY_S):
            for cast in self._stage.casts:
                if cast.crew is not None:
                    self._say(cast, report.line(cast.crew.tally, cast.progress))

    async def _looks(self, every_s: float) -> AsyncIterator[None]:
        while True:
            await asyncio.sleep(every_s)
            for cast in self._stage.casts:
                if cast.crew is not None:
                    cast.crew.look()
            yield

    def _say(self, cast: Cast, text: str) -> None:
        name = f"{cast.act.name}: " if len(self._stage.casts) > 1 else ""
        self._console.print(name + text, highlight=False, soft_wrap=True, markup=False)


def _details(cast: Cast) -> RenderableType:
    return "" if cast.crew is None else report.table(cast.crew.tally, cast.progress)


def _overview(casts: list[Cast]) -> Table:
    drawn = Table(box=None, padding=(0, 2, 0, 0), header_style="bold cyan")
    for column in COLUMNS:
        drawn.add_column(column)
    for cast in casts:
        drawn.add_row(*map(Text, (cast.act.name, *_row(cast))))
    return drawn


def _row(cast: Cast) -> tuple[str, ...]:
    if cast.crew is None:
        return "", "", "", "", f"comes at {cast.act.windows[0].start_s:g} s"
    tally, progress = cast.crew.tally, cast.progress
    aim = "" if progress is None else f"{progress.total - progress.left:,} of {progress.total:,}"
    came = f"{tally.connected} of {tally.clients}"
    refused = f"{tally.refused.total():,}"
    return came, f"{tally.placed:,}", f"{tally.rate:,.1f} px/s", refused, aim
