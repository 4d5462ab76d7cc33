"""How far a command has got: a bar on a terminal, else a line now and then; all on standard error.

Owns the look and the pace. Called by every command that reads a store.
"""

import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

LINE_EVERY = 10.0

Advance = Callable[[int, int], None]
"""Takes (done, all)."""


@contextmanager
def shown_progress(
    what: str, console: Console, monotonic: Callable[[], float] = time.monotonic
) -> Iterator[Advance]:
    """Show how much of `what` is done until the block ends."""
    if not console.is_terminal:
        yield _Lines(what, console, monotonic).advance
        return
    bar = Progress(
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TimeRemainingColumn(),
        console=console,
        transient=True,
    )
    task = bar.add_task(what, total=None)
    with bar:
        yield lambda done, total: bar.update(task, completed=done, total=max(total, done))


class Steps(ExitStack):
    """A bar for the present step of several."""

    def __init__(self, console: Console) -> None:
        super().__init__()
        self._console = console
        self._step = ""
        self._advance: Advance = lambda _done, _total: None

    def advance(self, step: str, done: int, total: int) -> None:
        """Show how far a step is; another one than before begins a bar of its own."""
        if step != self._step:
            self.close()
            self._step = step
            self._advance = self.enter_context(shown_progress(step, self._console))
        self._advance(done, total)


class _Lines:
    """Says a line when the last one is some seconds old; nothing of what is done soon."""

    def __init__(self, what: str, console: Console, monotonic: Callable[[], float]) -> None:
        self._what = what
        self._console = console
        self._monotonic = monotonic
        self._said = monotonic()

    def advance(self, done: int, total: int) -> None:
        now = self._monotonic()
        if now - self._said >= LINE_EVERY:
            self._said = now
            share = f"{done / total:.0%}" if total else "0%"
            self._console.print(f"{self._what}: {done:,} of {total:,} ({share})", highlight=False)
