"""What a person sees of an import: what would change, a small picture, bars for what takes long.

Owns the words on standard output and the bars on standard error, drawn on a terminal alone. Decides
nothing. Called by flow.py.
"""

from collections.abc import Callable, Iterator
from contextlib import contextmanager

from rich.console import Console
from rich.progress import BarColumn, Progress, TaskProgressColumn, TextColumn
from rich.table import Table
from rich.text import Text

from pictures.halfblocks import draw
from server.cli.importing.plan import Plan

LISTED_ON_TERMINAL = 40
PREVIEW_COLUMNS = 64
PREVIEW_LINES = 20


class View:
    """The screen of one command."""

    def __init__(self) -> None:
        self._out = Console(highlight=False)
        self._bars = Console(stderr=True)

    def note(self, text: str) -> None:
        """Say one line."""
        self._out.print(text, soft_wrap=True, markup=False)

    @contextmanager
    def working(self, what: str) -> Iterator[Callable[[float], None]]:
        """Show a bar while something is done; what is yielded takes the share."""
        bars = Progress(
            TextColumn("{task.description}", markup=False),
            BarColumn(),
            TaskProgressColumn(),
            console=self._bars,
            transient=True,
            disable=not self._bars.is_terminal,
        )
        with bars:
            task = bars.add_task(what, total=None)
            yield lambda share: bars.update(task, completed=share, total=1.0)

    @contextmanager
    def reading(self) -> Iterator[Callable[[int, int], None]]:
        """Show a bar while history is read; what is yielded takes (done, all)."""
        with self.working("Reading the board") as progress:
            yield lambda done, total: progress(done / total if total else 1.0)

    def show(self, plan: Plan) -> None:
        """Tell all that a plan does."""
        self._tell(plan)
        if plan.replaced:
            self._out.print(_replaced(plan))
        if plan.matched.changes:
            self._out.print(_changes(plan, self._out.is_terminal))
        if self._out.is_terminal:
            self._out.print(draw(plan.cells, plan.palette.rgb, PREVIEW_COLUMNS, PREVIEW_LINES))

    def _tell(self, plan: Plan) -> None:
        target, matched = plan.target, plan.matched
        height, width = plan.cells.shape
        size = f"{target.geometry.width} x {target.geometry.height}"
        board = f"a new board of {size}" if target.board is None else f"the board of {size}"
        self.note(f"{target.game}: {board}, the picture of {width} x {height} at {plan.x},{plan.y}")
        taken = width * height - matched.untouched
        self.note(
            f"  {taken:,} cells are taken, {plan.differing:,} of them change;"
            f" {matched.untouched:,} stay untouched"
        )
        if plan.sets_palette:
            self.note("  the board's palette becomes the one that is given")
        if matched.half_transparent:
            self.note(
                f"  {matched.half_transparent:,} pixels are half transparent: they are taken from"
                " 50 % on, and left below"
            )
        if matched.changed:
            share = matched.changed / taken
            self.note(
                f"  colors that are not in the palette: {matched.changed_colors:,}, of"
                f" {matched.changed:,} cells ({share:.1%}), which take another one"
            )
        else:
            self.note("  every color is in the palette")


def _changes(plan: Plan, terminal: bool) -> Table:
    changes = plan.matched.changes
    listed = changes[:LISTED_ON_TERMINAL] if terminal else changes
    rest = len(changes) - len(listed)
    rest += max(0, plan.matched.changed_colors - len({change.from_rgb for change in changes}))
    taken = plan.cells.size - plan.matched.untouched
    heads = ("from", "to", "", "cells", "share")
    table = Table(*heads, title="Colors that change", title_justify="left")
    for change in listed:
        color = plan.palette.colors[change.to_index]
        table.add_row(
            _swatch(change.from_rgb),
            _swatch(change.to_rgb),
            Text("" if color is None else color.name),
            f"{change.count:,}",
            f"{change.count / taken:.2%}",
        )
    if rest > 0:
        table.caption = f"and {rest:,} more"
    return table


def _replaced(plan: Plan) -> Table:
    heads = ("from", "to", "cells")
    table = Table(*heads, title="Palette colors that are not kept", title_justify="left")
    for replaced in plan.replaced:
        count = "" if replaced.count is None else f"{replaced.count:,}"
        table.add_row(_swatch(replaced.rgb), _swatch(replaced.by_rgb), count)
    return table


def _swatch(rgb: str) -> Text:
    return Text.assemble(("  ", f"on {rgb}"), f" {rgb}")
