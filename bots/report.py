"""How the bots fare: counts, latencies, and the two forms in which they are shown.

Owns the tally of a run and its text; reads no clock. Called by the crew (to count) and the
command line (to show).
"""

from collections import Counter, deque
from dataclasses import dataclass, field

from rich.table import Table
from rich.text import Text
from tesserae_client import Outcome, Placed, Refused

from bots.way import Progress

RECENT = 10_000
"""Latencies kept for the percentiles."""
RATE_OVER_S = 5.0
"""Time over which the rate is taken."""


@dataclass(slots=True)
class Tally:
    """What happened so far; times are seconds of the run."""

    bots: int
    spectators: int
    boards: int
    """That are to be proven equal to the server's at the end."""
    connected: int = 0
    placed: int = 0
    unknown: int = 0
    cuts: int = 0
    verified: int = 0
    refused: Counter[str] = field(default_factory=Counter)
    failures: Counter[str] = field(default_factory=Counter)
    """Why bots ended before their time, or boards did not verify."""
    acks_s: deque[float] = field(default_factory=lambda: deque(maxlen=RECENT))
    trouble: str = ""
    """Why a line was lost last."""
    elapsed_s: float = 0.0
    rate: float = 0.0
    """Placements a second over the last looks."""
    _looks: deque[tuple[float, int]] = field(default_factory=lambda: deque([(0.0, 0)]))

    def note(self, outcome: Outcome, took_s: float) -> None:
        """Count one outcome; an unknown one was counted at the cut that made it so."""
        if isinstance(outcome, Placed):
            self.placed += 1
            self.acks_s.append(took_s)
        elif isinstance(outcome, Refused):
            self.refused[outcome.code] += 1

    def look(self, elapsed_s: float) -> None:
        """Bring the rate up to date."""
        while len(self._looks) > 1 and self._looks[1][0] <= elapsed_s - RATE_OVER_S:
            self._looks.popleft()
        before_s, placed_before = self._looks[0]
        span_s = elapsed_s - before_s
        if span_s > 0:
            self.rate = (self.placed - placed_before) / span_s
        self.elapsed_s = elapsed_s
        self._looks.append((elapsed_s, self.placed))

    @property
    def clients(self) -> int:
        """Everyone, spectators included."""
        return self.bots + self.spectators

    @property
    def all_verified(self) -> bool:
        """Every board was proven to be the server's, and nobody fell by the way."""
        return self.verified == self.boards and not self.failures


def percentile_ms(samples_s: "deque[float]", share: float) -> float:
    """Return the latency below which `share` of the samples lie, in ms; 0 without samples."""
    if not samples_s:
        return 0.0
    ordered = sorted(samples_s)
    return ordered[min(len(ordered) - 1, int(share * len(ordered)))] * 1000


def rows(tally: Tally) -> list[tuple[str, str]]:
    """Return what is shown while it runs, as names and values."""
    refused = ", ".join(f"{code} {n:,}" for code, n in tally.refused.most_common()) or "none"
    p50, p99 = (percentile_ms(tally.acks_s, share) for share in (0.5, 0.99))
    shown = [
        ("time", f"{tally.elapsed_s:.0f} s"),
        ("connected", f"{tally.connected} of {tally.clients}"),
        ("placed", f"{tally.placed:,}"),
        ("rate", f"{tally.rate:,.1f} px/s"),
        ("ack", f"p50 {p50:.1f} ms, p99 {p99:.1f} ms"),
        ("refused", refused),
        ("unknown", f"{tally.unknown:,}"),
        ("cuts", f"{tally.cuts:,}"),
    ]
    if tally.trouble and tally.connected < tally.clients:
        shown.append(("trouble", printable(tally.trouble)))
    shown += [("failed", f"{n} x {printable(why)}") for why, n in tally.failures.most_common(5)]
    return shown


def progress_rows(progress: Progress | None, rate: float) -> list[tuple[str, str]]:
    """Return what is shown of an aim, as names and values; `rate` in placements a second."""
    if progress is None:
        return []
    done = progress.total - progress.left
    share = 100 * done / progress.total if progress.total else 100.0
    shown = [("done", f"{done:,} of {progress.total:,} cells ({share:.1f} %)")]
    if progress.left:
        shown.append(("left", f"{progress.left:,} cells{_time_left(progress.left, rate)}"))
    if progress.outside:
        shown.append(("beyond the board", f"{progress.outside:,} cells wait for it to grow"))
    given_up = ", ".join(f"{code} {n:,}" for code, n in progress.dropped.most_common())
    shown += [("given up", given_up)] * bool(given_up)
    shown += [("now", progress.note)] * bool(progress.note)
    return shown


def _remark(progress: Progress | None) -> list[tuple[str, str]]:
    said = "" if progress is None else progress.remark
    return [("colours", said)] * bool(said)


def _time_left(cells: int, rate: float) -> str:
    if rate <= 0:
        return ""
    minutes, seconds = divmod(round(cells / rate), 60)
    return f", about {minutes} min {seconds:02} s" if minutes else f", about {seconds} s"


def line(tally: Tally, progress: Progress | None = None) -> str:
    """Write one plain line, for logs and pipes."""
    return _joined(rows(tally) + progress_rows(progress, tally.rate))


def table(tally: Tally, progress: Progress | None = None) -> Table:
    """Draw the live table of a terminal."""
    drawn = Table(show_header=False, box=None, padding=(0, 2, 0, 0))
    drawn.add_column(style="bold cyan", no_wrap=True)
    drawn.add_column()
    aim = progress_rows(progress, tally.rate) + _remark(progress)
    for name, value in rows(tally) + aim:
        drawn.add_row(name, Text(value))
    return drawn


def summary(tally: Tally, progress: Progress | None = None) -> str:
    """Write the whole run in one line, with its mean rate."""
    tally.rate = tally.placed / tally.elapsed_s if tally.elapsed_s else 0.0
    return _joined(
        [
            (name, value)
            for name, value in rows(tally) + progress_rows(progress, 0.0) + _remark(progress)
            if name not in {"connected", "trouble"}
        ]
    )


def verdict(tally: Tally) -> str:
    """Write the last line of a run."""
    if tally.all_verified:
        if tally.boards == 1:
            return "The board equals the server's, cell by cell."
        return f"All {tally.verified} boards equal the server's, cell by cell."
    why = "; ".join(f"{n} x {printable(reason)}" for reason, n in tally.failures.most_common())
    return f"{tally.verified} of {tally.boards} boards equal the server's; {why}"


def printable(said: str) -> str:
    """Keep what a server said from moving the cursor."""
    return "".join(
        letter if letter.isprintable() else "\N{REPLACEMENT CHARACTER}" for letter in said
    )


def _joined(shown: list[tuple[str, str]]) -> str:
    return " | ".join(f"{name} {value}" for name, value in shown)
