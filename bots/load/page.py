"""The report as one HTML page that needs nothing else: no script, no font, no request.

Owns the page's form; the figures are the report's. Light or dark as the reader's system is. Called
by the command line for `--html`.
"""

from collections.abc import Iterator, Sequence
from html import escape

from bots.load import svg
from bots.load.report import Report, Span
from bots.load.text import DELAYS, conclusion, few, milliseconds, told

_STYLE = """
:root { color-scheme: light dark; --ink: #1c2024; --faint: #6b7480; --paper: #fff; --line: #dde2e8;
  --a: #1f6feb; --b: #d9480f; --good: #1a7f37; --bad: #cf222e; --band: #1f6feb12; }
@media (prefers-color-scheme: dark) { :root { --ink: #e6e9ee; --faint: #98a2ae; --paper: #14171b;
  --line: #2c323a; --a: #6cb0ff; --b: #ff9d5c; --good: #56d364; --bad: #ff7b72;
  --band: #6cb0ff14; } }
* { box-sizing: border-box; }
body { margin: 0 auto; padding: 2rem 1.25rem 4rem; max-width: 76rem; background: var(--paper);
  color: var(--ink); font: 15px/1.5 system-ui, sans-serif; }
h1 { font-size: 1.5rem; margin: 0 0 .25rem; } h2 { font-size: 1.05rem; margin: 2rem 0 .5rem; }
p { margin: .25rem 0; } .faint { color: var(--faint); }
.verdict { font-size: 1.1rem; font-weight: 600; margin: 1rem 0; }
.good { color: var(--good); } .bad { color: var(--bad); }
.wide { overflow-x: auto; }
table { border-collapse: collapse; width: 100%; font-variant-numeric: tabular-nums; }
th, td { text-align: right; padding: .3rem .5rem; border-bottom: 1px solid var(--line);
  white-space: nowrap; }
th:first-child, td:first-child { text-align: left; } th { color: var(--faint); font-weight: 500; }
.plots { display: grid; gap: 0 2rem;
  grid-template-columns: repeat(auto-fit, minmax(min(28rem, 100%), 1fr)); }
svg { width: 100%; height: auto; display: block; } svg text { fill: var(--faint); font-size: 12px; }
.grid { stroke: var(--line); } .band { fill: var(--band); }
polyline { fill: none; stroke-width: 2; stroke-linejoin: round; stroke-linecap: round; }
.a { stroke: var(--a); } .b { stroke: var(--b); }
.key { display: inline-block; margin-left: 1em; white-space: nowrap; font-weight: 500; }
.key::before { content: ""; display: inline-block; width: 1.2em; border-top: 3px solid;
  margin: 0 .4em .25em 0; }
.key.a::before { border-color: var(--a); } .key.b::before { border-color: var(--b); }
"""
_HEAD = (
    "<!doctype html>\n<html lang=en><meta charset=utf-8>"
    "<meta name=viewport content='width=device-width, initial-scale=1'>"
    f"<title>Load test</title><style>{_STYLE}</style>"
)
_KEY = (
    "Delays in milliseconds: the first four from a placer's send to a follower's frame, those of "
    "the ack to the placer's own answer. MB/h: megabytes that one client is sent in an hour. CPU "
    "and MB: the server's; of a core, and its memory at the most. The joining before a step counts "
    "in the whole run only; steps are shaded in the plots."
)
_HEADS = (
    "", "clients", "px/s", "deliveries/s", "refused", "cut", "p50", "p95", "p99", "max",
    "ack p50", "p95", "p99", "max", "MB/h", "CPU", "MB",
)  # fmt: skip


def page(report: Report) -> str:
    """Write the page."""
    good = "good" if report.succeeded else "bad"
    where = f"{report.url}, {report.started_at}, {report.clients:,} clients"
    return "".join(
        (
            _HEAD,
            f"<h1>Load test of {escape(report.game)}</h1>",
            f"<p class=faint>{escape(where)} from {report.processes} processes</p>",
            f"<p class='verdict {good}'>{escape(conclusion(report))}</p>",
            *_notes(report),
            f"<h2>Steps</h2>{_table(report)}<p class=faint>{_KEY}</p>",
            f"<div class=plots>{''.join(_plots(report))}</div></html>\n",
        )
    )


def _notes(report: Report) -> Iterator[str]:
    for verdict in report.verdicts:
        good = "good" if verdict.reached else "bad"
        yield f"<p class={good}>{escape(told(verdict))}</p>"
    for why, count in report.failures.items():
        yield f"<p class=bad>failed: {count:,} × {escape(why)}</p>"  # noqa: RUF001
    for warning in report.warnings:
        yield f"<p class=bad>doubtful: {escape(warning)}</p>"
    yield (
        f"<p>{report.boards_proven:,} of {report.boards:,} boards were proven equal to the "
        f"server's by checksum; {report.whole.holes:,} holes, {report.whole.cuts:,} cuts, "
        f"{report.whole.lost:,} placements lost, {report.behind:,} followers behind.</p>"
    )


def _table(report: Report) -> str:
    heads = "".join(f"<th>{head}</th>" for head in _HEADS)
    rows = (
        "<tr>" + "".join(f"<td>{escape(cell)}</td>" for cell in _cells(span)) + "</tr>"
        for span in (*report.steps, report.whole)
    )
    return f"<div class=wide><table><tr>{heads}</tr>{''.join(rows)}</table></div>"


def _cells(span: Span) -> tuple[str, ...]:
    delays, acks, seconds = span.delivery_ms, span.ack_ms, max(1, span.stop_s - span.start_s)
    refused = ", ".join(f"{code} {count:,}" for code, count in span.refused.items())
    return (
        span.name,
        f"{span.connected:,.0f}",
        f"{span.accepted / seconds:,.1f}",
        f"{span.deliveries_per_s:,.0f}",
        refused or "0",
        f"{span.cuts:,}",
        *(milliseconds(getattr(each, name)) for each in (delays, acks) for name in DELAYS),
        "-" if span.mb_per_viewer_hour is None else few(span.mb_per_viewer_hour),
        "-" if span.server_cpu is None else f"{span.server_cpu:.0%}",
        "-" if span.server_bytes is None else f"{span.server_bytes / 1e6:,.0f}",
    )


def _plots(report: Report) -> Iterator[str]:
    moments = report.moments

    def curve(name: str, look: str, field: str, scale: float = 1.0) -> svg.Curve:
        values = [getattr(moment, field) for moment in moments]
        return svg.Curve(name, look, [None if v is None else v * scale for v in values])

    delivery, ack = "From a send to a follower's frame", "From a send to its answer"
    yield _plot(
        report, delivery, "ms", curve("p50", "a", "delivery_p50_ms"),
        curve("p99", "b", "delivery_p99_ms"),
    )  # fmt: skip
    yield _plot(report, ack, "ms", curve("p50", "a", "ack_p50_ms"), curve("p99", "b", "ack_p99_ms"))
    yield _plot(report, "Clients", "", curve("joined", "a", "connected"))
    yield _plot(report, "Deliveries", "/s", curve("pixels told", "a", "delivered_per_s"))
    yield _plot(
        report, "Placements", "/s", curve("accepted", "a", "accepted_per_s"),
        curve("refused", "b", "refused_per_s"),
    )  # fmt: skip
    if any(moment.server_cpu is not None for moment in moments):
        yield _plot(report, "Server CPU", "%", curve("of a core", "a", "server_cpu", 100))
        yield _plot(report, "Server memory", "MB", curve("resident", "a", "server_bytes", 1e-6))


def _plot(report: Report, title: str, unit: str, *curves: svg.Curve) -> str:
    times_s: Sequence[float] = [moment.at_s for moment in report.moments]
    bands = [svg.Band(step.name, step.start_s, step.stop_s) for step in report.steps]
    keys = "".join(f"<span class='key {each.look}'>{escape(each.name)}</span>" for each in curves)
    drawn = svg.plot(times_s, curves, bands, unit)
    return f"<section><h2>{escape(title)}<small class=faint>{keys}</small></h2>{drawn}</section>"
