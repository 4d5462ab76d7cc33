"""How the bots fare: counts, latencies, and the two forms in which they are shown.

Owns the tally of a run and its text; reads no clock. Called by the runner (to count) and the
command line (to show).
"""

from collections import Counter, deque
from dataclasses import dataclass, field

from rich.table import Table
from tesserae_client import Outcome, Placed, Refused

RECENT = 10_000
"""Latencies kept for the percentiles."""


@dataclass(slots=True)
class Tally:
    """What happened so far; times are seconds of the run."""

    bots: int
    spectators: int
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
    """Placements a second since the last look."""

    def note(self, outcome: Outcome, took_s: float) -> None:
        """Count one outcome; an unknown one was counted at the cut that made it so."""
        if isinstance(outcome, Placed):
            self.placed += 1
            self.acks_s.append(took_s)
        elif isinstance(outcome, Refused):
            self.refused[outcome.code] += 1

    def look(self, elapsed_s: float, placed_before: int) -> None:
        """Bring the rate up to date: `placed_before` at the last look."""
        span_s = elapsed_s - self.elapsed_s
        if span_s > 0:
            self.rate = (self.placed - placed_before) / span_s
        self.elapsed_s = elapsed_s

    @property
    def clients(self) -> int:
        """Everyone, spectators included."""
        return self.bots + self.spectators

    @property
    def all_verified(self) -> bool:
        """Every board was proven to be the server's, and nobody fell by the way."""
        return self.verified == self.clients and not self.failures


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
        shown.append(("trouble", tally.trouble))
    shown += [("failed", f"{n} x {why}") for why, n in tally.failures.most_common(5)]
    return shown


def line(tally: Tally) -> str:
    """Write one plain line, for logs and pipes."""
    return _joined(rows(tally))


def table(tally: Tally) -> Table:
    """Draw the live table of a terminal."""
    drawn = Table(show_header=False, box=None, padding=(0, 2, 0, 0))
    drawn.add_column(style="bold cyan", no_wrap=True)
    drawn.add_column()
    for name, value in rows(tally):
        drawn.add_row(name, value)
    return drawn


def summary(tally: Tally) -> str:
    """Write the whole run in one line, with its mean rate."""
    tally.rate = tally.placed / tally.elapsed_s if tally.elapsed_s else 0.0
    return " | ".join(
        f"{name} {value}" for name, value in rows(tally) if name not in {"connected", "trouble"}
    )


def verdict(tally: Tally) -> str:
    """Write the last line of a run."""
    if tally.all_verified:
        return f"All {tally.verified} boards equal the server's, cell by cell."
    why = "; ".join(f"{n} x {reason}" for reason, n in tally.failures.most_common())
    return f"{tally.verified} of {tally.clients} boards equal the server's; {why}"


def _joined(shown: list[tuple[str, str]]) -> str:
    return " | ".join(f"{name} {value}" for name, value in shown)
