"""Fan-out and inbound beside the C reference: CPU for one delivery, and for one placement.

The reference, and the server with each way of writing, are run in turn in the same minutes, on the
same core, with the same load; the ratio of their CPU is the figure. The reference frames and sends,
and does nothing else. What the same placements cost with nobody watching is taken off all, so that
a delivery is a delivery.
"""

from statistics import median

from bench.native_programs import Measured, load, pinned, reference
from bench.results import Result, Row
from bench.serving import OPEN_FLAGS, serving

ROUNDS = 3
WATCHERS = (1_000, 5_000)
FRAMES_PER_SECOND, RECORDS = 30, 20
"""Placements come in few frames: what is measured is what goes out."""
INBOUND = 500
INBOUND_PER_SECOND = 6_000
SECONDS = 4
C, PLAIN, RING = 0, 1, 2
"""Where each server stands in a round."""


def run() -> Result:
    """Measure both, round by round."""
    rows: list[Row] = []
    plainly = serving(*OPEN_FLAGS, "--io-uring", "off")
    with reference() as c, plainly as plain, serving() as ring:
        servers = (c, pinned(plain), pinned(ring))
        for watchers in WATCHERS:
            rounds = [[delivery(each, watchers) for each in servers] for _ in range(ROUNDS)]
            rows += _fanout_rows(watchers, rounds)
        rows += _inbound_rows([[_placement(each) for each in servers] for _ in range(ROUNDS)])
    return Result(
        "fanout",
        rows,
        f"medians of {ROUNDS} rounds in turn with the C reference, on one core, the C load client "
        f"on another; {FRAMES_PER_SECOND} frames a second of {RECORDS} placements",
    )


def delivery(server: Measured, watchers: int) -> float:
    """Microseconds of CPU for one frame to one more watcher."""
    alone, crowd = (
        load(
            *server,
            watchers=count,
            placers=1,
            snapshot="none",
            rate=FRAMES_PER_SECOND,
            records=RECORDS,
            seconds=SECONDS,
            warm=1,
        )
        for count in (0, watchers)
    )
    return 1e6 * (crowd.cpu - alone.cpu) / float(crowd.end["frames"] - alone.end["frames"])


def _placement(server: Measured) -> float:
    """Microseconds of CPU for one placement and its ack."""
    rate = INBOUND_PER_SECOND
    told = load(*server, placers=INBOUND, rate=rate, watch=0, seconds=SECONDS, warm=1)
    return 1e6 * told.cpu / (rate * float(told.end["seconds"]))


def _fanout_rows(watchers: int, rounds: list[list[float]]) -> list[Row]:
    to = f"to {watchers:,} watchers"
    plain, ring = _beside_c(rounds, PLAIN), _beside_c(rounds, RING)
    return [
        Row(f"a delivery {to}, CPU in C", median(each[C] for each in rounds), "µs"),
        Row(f"a delivery {to}, CPU", median(each[PLAIN] for each in rounds), "µs"),
        Row(f"a delivery {to}, beside C", plain, "x", 1.4),
        Row(f"a delivery {to}, by io_uring, CPU", median(each[RING] for each in rounds), "µs"),
        Row(f"a delivery {to}, by io_uring, beside C", ring, "x", 1.15),
    ]


def _inbound_rows(rounds: list[list[float]]) -> list[Row]:
    ours = median(each[RING] for each in rounds)
    return [
        Row("a placement with its ack, CPU in C", median(each[C] for each in rounds), "µs"),
        Row("a placement with its ack, decided and durable, CPU", ours, "µs"),
        Row("a placement with its ack, beside C", _beside_c(rounds, RING), "x", 2.5),
    ]


def _beside_c(rounds: list[list[float]], which: int) -> float:
    return median(each[which] / each[C] for each in rounds)
