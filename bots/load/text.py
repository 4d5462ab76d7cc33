"""The report in words, for the terminal; pure.

Owns the wording and the widths. Called by the command line at the end of a run.
"""

from collections.abc import Iterator

from bots.load.goals import Verdict
from bots.load.remedies import helps
from bots.load.report import Delays, Report, Span
from bots.report import printable

COLUMNS = ("", "clients", "px/s", "refused", "p50", "p95", "p99", "max", "ack p99", "server")
WIDTHS = (14, 8, 9, 9, 9, 9, 9, 9, 9, 8)


def lines(report: Report) -> Iterator[str]:
    """Write it all, a line each."""
    yield _row(COLUMNS)
    yield from (_row(_cells(span)) for span in (*report.steps, report.whole))
    yield "p50 to max: milliseconds from a placer's send to a follower's frame; server: of a core"
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
        said.append(f"{report.boards - report.boards_proven} boards were not proven")
    if report.behind:
        said.append(f"{report.behind} followers were not told of everything")
    if report.failures:
        said.append(f"{sum(report.failures.values()):,} clients failed")
    return f"Not reached: {'; '.join(said)}."


def told(verdict: Verdict) -> str:
    """Say a goal and what was reached."""
    measured = "was not measured" if verdict.measured is None else f"is {verdict.measured:,.4g}"
    word = "reached" if verdict.reached else "MISSED"
    return f"{word}: {verdict.flag} {verdict.goal:g}, {verdict.span}: {measured}"


def milliseconds(value: float | None) -> str:
    """Write a delay, or a dash."""
    if value is None:
        return "-"
    return f"{value:,.1f}" if value < 1000 else f"{value:,.0f}"  # noqa: PLR2004 - one second


def _cells(span: Span) -> tuple[str, ...]:
    delays: Delays = span.delivery_ms
    seconds = max(1, span.stop_s - span.start_s)
    return (
        span.name,
        f"{span.connected:,.0f}",
        f"{span.accepted / seconds:,.1f}",
        f"{sum(span.refused.values()):,}",
        *map(milliseconds, (delays.p50, delays.p95, delays.p99, delays.max, span.ack_ms.p99)),
        "-" if span.server_cpu is None else f"{span.server_cpu:.0%}",
    )


def _row(cells: tuple[str, ...]) -> str:
    first, *others = zip(cells, WIDTHS, strict=True)
    return first[0].ljust(first[1]) + "".join(cell.rjust(width) for cell, width in others)


def _facts(report: Report) -> Iterator[tuple[str, str]]:
    whole = report.whole
    yield "placements", f"{whole.sent:,} sent, {whole.accepted:,} accepted, {whole.lost:,} lost"
    for code, count in whole.refused.items():
        yield f"refused {code}", f"{count:,}{helps(code)}"
    yield (
        "deliveries",
        (
            f"{whole.delivered:,} pixels in {whole.frames:,} frames, {whole.catch_ups:,} of them "
            f"merged; {whole.holes:,} holes, {report.behind:,} followers behind at the end"
        ),
    )
    yield "lines", f"{whole.cuts:,} cut, {whole.not_opened:,} tries to connect failed"
    if whole.mb_per_viewer_hour is not None:
        yield "a viewer", f"{whole.mb_per_viewer_hour:,.2f} MB an hour"
    if whole.server_bytes is not None:
        yield "server memory", f"{whole.server_bytes / 1e6:,.0f} MB at the most"
    yield "boards", f"{report.boards_proven:,} of {report.boards:,} equal the server's"
