"""What a load test found, as one value: the text, the JSON file and the page are made of it.

Owns the schema, whose reference is generated from the descriptions here, and the making of it from
a timeline; reads no clock. Called by the command line.
"""

from collections import Counter
from collections.abc import Iterator

from pydantic import BaseModel, ConfigDict, Field

from bots.load.goals import Goals, Verdict
from bots.load.histogram import Histogram
from bots.load.plan import Phase, Plan
from bots.load.timeline import Period, Point, Timeline

SCHEMA = 1
BUSY = 0.85
"""Share of a core from which our own processes spoil the figures."""
LATE_MS = 20.0


class _Part(BaseModel):
    model_config = ConfigDict(frozen=True)


class Delays(_Part):
    """Of many delays, in milliseconds; each but `max` within 0.4 %."""

    count: int = Field(description="How many were timed.")
    p50: float | None = Field(description="Half of them were shorter; null without any.")
    p95: float | None = Field(description="95 % were shorter.")
    p99: float | None = Field(description="99 % were shorter.")
    max: float | None = Field(description="The longest.")

    @classmethod
    def of(cls, histogram: Histogram) -> "Delays":
        """Take them out of a histogram."""
        p50, p95, p99 = (_ms(histogram.percentile_s(share)) for share in (0.5, 0.95, 0.99))
        longest = _ms(histogram.longest_s) if histogram.count else None
        return cls(count=histogram.count, p50=p50, p95=p95, p99=p99, max=longest)


class Span(_Part):
    """A step, or the whole run."""

    name: str = Field(description="`step 1` and so on, or `the whole run`.")
    start_s: int = Field(description="When it begins, in seconds of the run; joining lies before.")
    stop_s: int = Field(description="When it ends.")
    connected: float = Field(description="Clients that were joined, on average.")
    sent: int = Field(description="Placements sent.")
    accepted: int = Field(description="Placements acknowledged as accepted.")
    refused: dict[str, int] = Field(description="Placements refused, by the code.")
    lost: int = Field(
        description="Placements without an answer: at the end, or after a cut that was too long."
    )
    held_back: int = Field(
        description="Placements not sent, since 64 of that placer had no answer yet."
    )
    delivered: int = Field(description="Pixels told to followers: one pixel to one follower is 1.")
    deliveries_per_s: float = Field(description="The same for each second.")
    frames: int = Field(description="Messages that told them.")
    catch_ups: int = Field(description="Merged messages to clients that read too slowly.")
    holes: int = Field(description="Times that a follower missed something and had to ask.")
    cuts: int = Field(description="Lines that were lost after joining.")
    not_opened: int = Field(description="Tries to connect that failed.")
    ack_ms: Delays = Field(description="From a placer's send to its answer.")
    delivery_ms: Delays = Field(description="From a placer's send to each follower's frame.")
    late_ms: Delays = Field(description="How late this tool itself was to send.")
    mb_per_viewer_hour: float | None = Field(
        description="Megabytes that one client is sent in an hour at this pace."
    )
    clients_cpu: float = Field(
        description="CPU of the busiest process of this tool; 1 is a whole core."
    )
    server_cpu: float | None = Field(
        description="CPU of the server, on average; 1 is a whole core. Null without `--server-pid`."
    )
    server_bytes: int | None = Field(description="Its memory at the most.")


class Moment(_Part):
    """A point of the plots."""

    at_s: int = Field(description="When it begins.")
    seconds: int = Field(description="How long it is: more than 1 in runs of over 20 minutes.")
    connected: int = Field(description="Clients that were joined.")
    accepted_per_s: float = Field(description="Placements accepted.")
    refused_per_s: float = Field(description="Placements refused.")
    delivered_per_s: float = Field(description="Pixels told to followers.")
    delivery_p50_ms: float | None = Field(description="Of the deliveries.")
    delivery_p99_ms: float | None = Field(description="Of the deliveries.")
    ack_p50_ms: float | None = Field(description="Of the answers.")
    ack_p99_ms: float | None = Field(description="Of the answers.")
    server_cpu: float | None = Field(description="1 is a whole core.")
    server_bytes: int | None = Field(description="Its memory.")


class Report(_Part):
    """A whole load test."""

    schema_version: int = Field(default=SCHEMA, description="1; it rises when a field changes.")
    url: str = Field(description="The server.")
    game: str = Field(description="The canvas.")
    started_at: str = Field(description="When, as ISO 8601.")
    processes: int = Field(description="Processes that played.")
    clients: int = Field(description="Clients of the plan.")
    succeeded: bool = Field(description="Every goal was reached and every asked board was proven.")
    verdicts: tuple[Verdict, ...] = Field(description="Each goal, and what was reached.")
    boards: int = Field(description="Boards that were to be proven by checksum at the end.")
    boards_proven: int = Field(description="Those that equal the server's.")
    behind: int = Field(description="Followers that were not told of everything at the end.")
    failures: dict[str, int] = Field(description="Who fell by the way, by the reason.")
    warnings: tuple[str, ...] = Field(description="What makes the figures doubtful.")
    whole: Span = Field(description="The whole run, joining and end included.")
    steps: tuple[Span, ...] = Field(description="Each step, without the joining before it.")
    moments: tuple[Moment, ...] = Field(description="What is plotted.")


PARTS = (Report, Span, Delays, Verdict, Moment)
"""In the order of the reference."""


def made(
    plan: Plan,
    timeline: Timeline,
    failures: Counter[str],
    goals: Goals,
    *,
    processes: int,
    started_at: str,
) -> Report:
    """Make the report of a run that is over."""
    length_s = max((point.at_s + point.seconds for point in timeline.points), default=0)
    whole_phase = Phase(name="the whole run", start_s=0, stop_s=length_s)
    whole = _span(whole_phase, timeline.whole)
    steps = tuple(
        _span(phase, period)
        for phase, period in zip(plan.phases, timeline.periods, strict=True)
        if phase.start_s < length_s
    )
    counts = timeline.whole.slot.counts
    verdicts = tuple(goals.judged(steps, whole))
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
        warnings=tuple(_warnings(whole)),
        whole=whole,
        steps=steps,
        moments=tuple(map(_moment, timeline.points)),
    )


def _span(phase: Phase, period: Period) -> Span:
    slot, counts, seconds = period.slot, period.slot.counts, phase.stop_s - phase.start_s
    hours = period.client_seconds / 3600
    cpus = period.server_cpu
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
        server_cpu=sum(cpus) / len(cpus) if cpus else None,
        server_bytes=period.server_bytes,
    )


def _warnings(whole: Span) -> Iterator[str]:
    if whole.clients_cpu > BUSY:
        yield (
            f"a process of this tool took {whole.clients_cpu:.0%} of a core: the delays are partly "
            f"its own; use more --processes, or another machine"
        )
    if whole.late_ms.p99 is not None and whole.late_ms.p99 > LATE_MS:
        yield (
            f"this tool itself sent late, p99 {whole.late_ms.p99:.0f} ms: the machine has too "
            f"little CPU for the server and this crowd together"
        )
    if whole.held_back:
        yield f"{whole.held_back:,} placements were held back: their placers had 64 unanswered"


def _moment(point: Point) -> Moment:
    return Moment(
        at_s=point.at_s,
        seconds=point.seconds,
        connected=point.gauges.connected,
        accepted_per_s=point.accepted / point.seconds,
        refused_per_s=point.refused / point.seconds,
        delivered_per_s=point.delivered / point.seconds,
        delivery_p50_ms=_ms(point.delivery_p50_s),
        delivery_p99_ms=_ms(point.delivery_p99_s),
        ack_p50_ms=_ms(point.ack_p50_s),
        ack_p99_ms=_ms(point.ack_p99_s),
        server_cpu=point.gauges.server_cpu,
        server_bytes=point.gauges.server_bytes,
    )


def _ms(value_s: float | None) -> float | None:
    return None if value_s is None else round(value_s * 1000, 3)
