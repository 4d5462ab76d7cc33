"""Fan-out and inbound beside the C reference: CPU for one delivery, and for one placement.

Both servers are run in turn in the same minutes, on the same core, with the same load; the ratio
of their CPU is the figure. The reference frames and sends, and does nothing else.
"""

from statistics import median

from bench.native_programs import Told, load, pinned, reference
from bench.results import Result, Row
from bench.serving import serving

ROUNDS = 3
WATCHERS = (1_000, 5_000)
FRAMES_PER_SECOND, RECORDS = 30, 20
"""Placements come in few frames: what is measured is what goes out."""
INBOUND = 500
INBOUND_PER_SECOND = 6_000


def run() -> Result:
    """Measure both, round by round."""
    rows: list[Row] = []
    with reference() as c, serving() as server:
        ours = pinned(server)
        for watchers in WATCHERS:
            options: dict[str, float | str] = {
                "watchers": watchers - 1,
                "placers": 1,
                "snapshot": "none",
            }
            rates = {"rate": FRAMES_PER_SECOND, "records": RECORDS}
            told = [
                [load(*each, seconds=4, warm=1, **options, **rates) for each in (c, ours)]
                for _ in range(ROUNDS)
            ]
            rows += _fanout_rows(watchers, told)
        told = [
            [
                load(*each, placers=INBOUND, rate=INBOUND_PER_SECOND, watch=0, seconds=4, warm=1)
                for each in (c, ours)
            ]
            for _ in range(ROUNDS)
        ]
        rows += _inbound_rows(told)
    return Result(
        "fanout",
        rows,
        f"medians of {ROUNDS} rounds in turn with the C reference, on one core, the C load client "
        f"on another; {FRAMES_PER_SECOND} frames a second of {RECORDS} placements",
    )


def _fanout_rows(watchers: int, rounds: list[list[Told]]) -> list[Row]:
    c, ours = (median(each[of].cpu_per_delivery for each in rounds) for of in (0, 1))
    ratio = median(each[1].cpu_per_delivery / each[0].cpu_per_delivery for each in rounds)
    to = f"to {watchers:,} watchers"
    return [
        Row(f"a delivery {to}, CPU in C", c, "µs"),
        Row(f"a delivery {to}, CPU", ours, "µs"),
        Row(f"a delivery {to}, beside C", ratio, "x", 1.4),
    ]


def _inbound_rows(rounds: list[list[Told]]) -> list[Row]:
    c, ours = (median(_per_placement(each[of]) for each in rounds) for of in (0, 1))
    ratio = median(_per_placement(each[1]) / _per_placement(each[0]) for each in rounds)
    return [
        Row("a placement with its ack, CPU in C", c, "µs"),
        Row("a placement with its ack, decided and durable, CPU", ours, "µs"),
        Row("a placement with its ack, beside C", ratio, "x", 2.5),
    ]


def _per_placement(told: Told) -> float:
    return 1e6 * told.cpu / (INBOUND_PER_SECOND * float(told.end["seconds"]))
