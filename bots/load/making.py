"""From the seconds of a run to its report: steps, goals, and what makes the figures doubtful; pure.

Owns the making, and the bounds from which this tool or this machine spoils what it measures. Called
by the command line at the end of a run.
"""

from collections import Counter
from collections.abc import Iterator

from bots.load.goals import Goals
from bots.load.plan import Phase, Plan
from bots.load.report import Delays, Moment, Report, Span, milliseconds_of
from bots.load.timeline import Period, Point, Timeline

BUSY = 0.85
"""Share of a core from which our own processes spoil the figures."""
LATE_MS = 20.0
FULL = 0.9
"""Share of all cores from which whatever else runs there spoils them, too."""


def made(
    plan: Plan,
    timeline: Timeline,
    failures: Counter[str],
    goals: Goals,
    *,
    processes: int,
    started_at: str,
    ended_s: float | None = None,
) -> Report:
    """Make the report of a run that is over; `ended_s` when it was ended before its plan was."""
    length_s = max((point.at_s + point.seconds for point in timeline.points), default=0)
    whole_phase = Phase(name="the whole run", start_s=0, stop_s=length_s)
    whole = _span(whole_phase, timeline.whole)
    begun, others = _cut_short(plan.phases, ended_s)
    steps = tuple(map(_span, begun, timeline.periods))
    missing = (_span(phase, Period()) for phase in others)
    counts = timeline.whole.slot.counts
    verdicts = tuple(goals.judged((*steps, *missing), whole))
    unproven = counts["boards"] - counts["proven"]
    return Report(
        url=plan.url,
        game=plan.game,
        started_at=started_at,
        processes=processes,
        clients=plan.clients,
        succeeded=not unproven
        and not counts["behind"]
        and not failures
        and all(one.reached for one in verdicts),
        verdicts=verdicts,
        boards=counts["boards"],
        boards_proven=counts["proven"],
        behind=counts["behind"],
        failures=dict(failures),
        warnings=tuple(_warnings(plan, steps, whole, ended_s)),
        whole=whole,
        steps=steps,
        moments=tuple(map(_moment, timeline.points)),
    )


def _span(phase: Phase, period: Period) -> Span:
    slot, counts, seconds = period.slot, period.slot.counts, phase.stop_s - phase.start_s
    hours = period.client_seconds / 3600
    return Span(
        name=phase.name,
        start_s=phase.start_s,
        stop_s=phase.stop_s,
        connected=period.client_seconds / max(1, period.seconds),
        sent=counts["sent"],
        accepted=counts["accepted"],
        refused=dict(slot.refused.most_common()),
        lost=counts["unanswered"] + counts["unknown"],
        held_back=counts["held back"],
        delivered=counts["delivered"],
        deliveries_per_s=counts["delivered"] / max(1, seconds),
        frames=counts["frames"],
        catch_ups=counts["catch-ups"],
        holes=counts["holes"],
        cuts=counts["cuts"],
        not_opened=counts["not opened"],
        ack_ms=Delays.of(slot.acks),
        delivery_ms=Delays.of(slot.deliveries),
        late_ms=Delays.of(slot.late),
        mb_per_viewer_hour=counts["bytes"] / 1e6 / hours if hours else None,
        clients_cpu=period.busiest,
        server_cpu=_mean(period.server_cpu),
        server_bytes=period.server_bytes,
        machine_cpu=_mean(period.machine_cpu),
    )


def _mean(values: list[float]) -> float | None:
    return sum(values) / len(values) if values else None


def _cut_short(
    phases: tuple[Phase, ...], ended_s: float | None
) -> tuple[tuple[Phase, ...], tuple[Phase, ...]]:
    """Return the phases that began, as long as they were; and those that did not."""
    if ended_s is None:
        return phases, ()
    begun = tuple(
        Phase(
            name=phase.name,
            start_s=phase.start_s,
            stop_s=min(phase.stop_s, max(phase.start_s + 1, round(ended_s))),
        )
        for phase in phases
        if phase.start_s < ended_s
    )
    return begun, phases[len(begun) :]


def _warnings(
    plan: Plan, steps: tuple[Span, ...], whole: Span, ended_s: float | None
) -> Iterator[str]:
    if ended_s is not None:
        yield f"the run was ended after {ended_s:,.0f} of {plan.seconds:,} s"
    for step in steps:
        yield from (f"{step.name}: {doubt}" for doubt in _doubts(step))
    if plan.provers and not any(part.stays_to(plan.seconds) for part in plan.parts):
        yield "no board was proven: nobody stays to the end"
    if whole.held_back:
        yield f"{whole.held_back:,} placements were held back: their placers had 64 unanswered"


def _doubts(step: Span) -> Iterator[str]:
    """Say what makes the delays of a step those of this tool, or of this machine."""
    if step.clients_cpu > BUSY:
        yield (
            f"a process of this tool took {step.clients_cpu:.0%} of a core: the delays are partly "
            f"its own; use more --processes, or another machine"
        )
    if step.machine_cpu is not None and step.machine_cpu > FULL:
        yield (
            f"this machine was {step.machine_cpu:.0%} busy: whoever runs here waits for the CPU; "
            f"end what else runs, or send the crowd from another machine"
        )
    elif step.late_ms.p99 is not None and step.late_ms.p99 > LATE_MS:
        yield (
            f"this tool itself was late, p99 {step.late_ms.p99:.0f} ms: the delays are partly its "
            f"own; use more --processes, or another machine"
        )


def _moment(point: Point) -> Moment:
    return Moment(
        at_s=point.at_s,
        seconds=point.seconds,
        connected=point.gauges.connected,
        accepted_per_s=point.accepted / point.seconds,
        refused_per_s=point.refused / point.seconds,
        delivered_per_s=point.delivered / point.seconds,
        delivery_p50_ms=milliseconds_of(point.delivery_p50_s),
        delivery_p99_ms=milliseconds_of(point.delivery_p99_s),
        ack_p50_ms=milliseconds_of(point.ack_p50_s),
        ack_p99_ms=milliseconds_of(point.ack_p99_s),
        server_cpu=point.gauges.server_cpu,
        server_bytes=point.gauges.server_bytes,
    )
