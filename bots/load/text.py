"""The report in words, for the terminal; pure.

Owns the wording and the widths. Called by the command line at the end of a run.
"""

from collections.abc import Iterable, Iterator, Sequence

from bots.load.goals import Verdict
from bots.load.remedies import helps
from bots.load.report import Report, Span
from bots.report import printable

NAME_WIDTH = 19
FIGURES = {
    "clients": 8,
    "px/s": 8,
    "deliveries/s": 13,
    "refused": 8,
    "cut": 6,
    "MB/h": 7,
    "CPU": 5,
    "MB": 5,
}
"""Widths; all of them fit into 80 columns."""
DELAYS = ("p50", "p95", "p99", "max")
DELAY_WIDTH = 7
_TENS, _HUNDREDS, _THOUSANDS = 10, 100, 1000


def lines(report: Report) -> Iterator[str]:
    """Write it all, a line each."""
    spans = (*report.steps, report.whole)
    yield from _figures(spans)
    yield ""
    yield from _delays(spans)
    yield ""
    yield from (f"{name}: {value}" for name, value in _facts(report))
    yield from (f"Failed: {n:,} x {printable(why)}" for why, n in report.failures.items())
    yield from (f"Doubtful: {warning}" for warning in report.warnings)
    yield from map(told, report.verdicts)
    yield conclusion(report)


def conclusion(report: Report) -> str:
    """Say in one line whether the goals were reached, and which were not."""
    if report.succeeded:
        return "All goals were reached." if report.verdicts else "Nothing is missing."
    missed = [verdict.flag for verdict in report.verdicts if not verdict.reached]
    said = [f"missed: {', '.join(dict.fromkeys(missed))}"] if missed else []
    if report.boards_proven < report.boards:
        said.append(f"boards not proven: {report.boards - report.boards_proven:,}")
    if report.behind:
        said.append(f"followers not told of everything: {report.behind:,}")
    if report.failures:
        said.append(f"clients that failed: {sum(report.failures.values()):,}")
    return f"Not reached: {'; '.join(said)}."


def told(verdict: Verdict) -> str:
    """Say a goal and what was reached."""
    measured = "was not measured" if verdict.measured is None else f"is {_exact(verdict.measured)}"
    word = "reached" if verdict.reached else "MISSED"
    return f"{word}: {verdict.flag} {verdict.goal:g}, {verdict.span}: {measured}"


def _exact(value: float) -> str:
    return f"{value:,.4g}" if value < _THOUSANDS else f"{value:,.0f}"


def milliseconds(value: float | None) -> str:
    """Write a delay, or a dash."""
    if value is None:
        return "-"
    return f"{value:,.1f}" if value < _THOUSANDS else f"{value:,.0f}"


def few(value: float) -> str:
    """Write a number in about three digits."""
    digits = 2 if value < _TENS else 1 if value < _HUNDREDS else 0
    return f"{value:,.{digits}f}"


def _figures(spans: Sequence[Span]) -> Iterator[str]:
    yield _row("", FIGURES, FIGURES.values())
    for span in spans:
        yield _row(span.name, _cells(span), FIGURES.values())
    yield "MB/h: sent to one client. CPU and MB: the server's; of a core, and at the most."


def _cells(span: Span) -> tuple[str, ...]:
    seconds = max(1, span.stop_s - span.start_s)
    rate = span.accepted / seconds
    return (
        f"{span.connected:,.0f}",
        f"{rate:,.1f}" if rate < _THOUSANDS else f"{rate:,.0f}",
        f"{span.deliveries_per_s:,.0f}",
        f"{sum(span.refused.values()):,}",
        f"{span.cuts:,}",
        "-" if span.mb_per_viewer_hour is None else few(span.mb_per_viewer_hour),
        "-" if span.server_cpu is None else f"{span.server_cpu:.0%}",
        "-" if span.server_bytes is None else f"{span.server_bytes / 1e6:,.0f}",
    )


def _delays(spans: Sequence[Span]) -> Iterator[str]:
    widths = (DELAY_WIDTH,) * 2 * len(DELAYS)
    yield _row("milliseconds", ("send to follower", "send to answer"), (DELAY_WIDTH * 4,) * 2)
    yield _row("", DELAYS * 2, widths)
    for span in spans:
        both = (span.delivery_ms, span.ack_ms)
        cells = [milliseconds(getattr(delays, name)) for delays in both for name in DELAYS]
        yield _row(span.name, cells, widths)


def _row(name: str, cells: Iterable[str], widths: Iterable[int]) -> str:
    figures = (cell.rjust(width) for cell, width in zip(cells, widths, strict=True))
    return name.ljust(NAME_WIDTH) + "".join(figures)


def _facts(report: Report) -> Iterator[tuple[str, str]]:
    whole = report.whole
    yield "placements", f"{whole.sent:,} sent, {whole.accepted:,} accepted, {whole.lost:,} lost"
    for code, count in whole.refused.items():
        yield f"refused {code}", f"{count:,}{helps(code)}"
    yield (
        "deliveries",
        (
            f"{whole.delivered:,} pixels in {whole.frames:,} frames, {whole.catch_ups:,} of them "
            f"merged"
        ),
    )
    yield "followers", f"{whole.holes:,} holes, {report.behind:,} behind at the end"
    yield "lines", f"{whole.cuts:,} cut, {whole.not_opened:,} tries to connect failed"
    yield "boards", f"{report.boards_proven:,} of {report.boards:,} equal the server's"
