"""What a load test found, as one value: the text, the JSON file and the page are made of it.

Owns the schema, whose reference is generated from the descriptions here; the making is making.py's.
Read by whoever writes a report.
"""

from pydantic import BaseModel, ConfigDict, Field

from bots.load.goals import Verdict
from bots.load.histogram import Histogram

SCHEMA = 1


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
        p50, p95, p99 = (
            milliseconds_of(histogram.percentile_s(share)) for share in (0.5, 0.95, 0.99)
        )
        longest = milliseconds_of(histogram.longest_s) if histogram.count else None
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
    delivered: int = Field(
        description="Pixels told to followers who were there: one pixel to one is 1."
    )
    deliveries_per_s: float = Field(description="The same for each second.")
    frames: int = Field(description="Messages that told them.")
    catch_ups: int = Field(description="Merged messages to clients that read too slowly.")
    holes: int = Field(description="Times that a follower missed something and had to ask.")
    cuts: int = Field(description="Lines that were lost after joining.")
    not_opened: int = Field(description="Tries to connect that failed.")
    ack_ms: Delays = Field(description="From a placer's send to its answer.")
    delivery_ms: Delays = Field(description="From a placer's send to each follower's frame.")
    late_ms: Delays = Field(description="How late this tool itself was to send, or to look.")
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
    machine_cpu: float | None = Field(
        description="Busy share of all cores of this machine, on average; null where none is told."
    )


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
    succeeded: bool = Field(
        description="Every goal was reached, every asked board was proven, and nobody failed."
    )
    verdicts: tuple[Verdict, ...] = Field(description="Each goal, and what was reached.")
    boards: int = Field(description="Boards that were to be proven by checksum at the end.")
    boards_proven: int = Field(description="Those that equal the server's.")
    behind: int = Field(description="Followers that were not told of everything at the end.")
    failures: dict[str, int] = Field(description="Who fell by the way, by the reason.")
    warnings: tuple[str, ...] = Field(description="What makes the figures doubtful.")
    whole: Span = Field(description="The whole run, joining and end included.")
    steps: tuple[Span, ...] = Field(
        description="Each step that began, without the joining before it."
    )
    moments: tuple[Moment, ...] = Field(description="What is plotted.")


PARTS = (Report, Span, Delays, Verdict, Moment)
"""In the order of the reference."""


def milliseconds_of(value_s: float | None) -> float | None:
    """Return seconds as they are reported."""
    return None if value_s is None else round(value_s * 1000, 3)
