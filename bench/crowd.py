"""The event itself: crowds that place and watch the whole board, on the same two cores.

Every placement has to be acknowledged and told to everybody without a hole, nobody refused or cut;
the time from the placer's send to a watcher's frame is the figure. It is the machine's as much as
the server's: what a delivery costs the C reference in the same minutes tells how fast that was.
"""

from bench.fanout import delivery
from bench.native_programs import Told, load, reference
from bench.results import Result, Row
from bench.serving import OPEN_FLAGS, serving

CROWDS = ((200, 1.0, 20.0), (1_000, 1.0, 45.0), (1_000, 4.0, 50.0), (5_000, 0.2, 200.0))
"""Clients, placements a second of each, and the goal of p99 in milliseconds."""
EVENT_CLIENTS, EVENT_RATE = 5_000, 83
"""A five-minute cooldown and every fifth on time."""
SECONDS = 10
C_WATCHERS = 1_000


def run() -> Result:
    """Measure every crowd on a server of its own."""
    with reference() as c:
        in_c = delivery(c, C_WATCHERS)
    rows = [Row(f"a delivery to {C_WATCHERS:,} watchers, CPU in C, meanwhile", in_c, "µs")]
    for clients, each, goal in CROWDS:
        told = _run(clients, rate=clients * each, placers=clients)
        rows += _rows(f"{clients:,} x {each:g}", told, goal)
    told = _run(EVENT_CLIENTS, rate=EVENT_RATE, placers=EVENT_RATE, watchers=EVENT_CLIENTS)
    rows += _rows(f"event, {EVENT_CLIENTS:,} watch {EVENT_RATE} px/s", told, None)
    rows.append(
        Row(f"event, {EVENT_CLIENTS:,} watch {EVENT_RATE} px/s: server", _core(told), "% of a core")
    )
    return Result(
        "crowd",
        rows,
        f"{SECONDS} s each; server and C load client share the cores; "
        "delays are from the placer's send",
    )


def _run(clients: int, **options: float) -> Told:
    with serving(*OPEN_FLAGS, "--max-connections", str(clients * 2)) as server:
        return load(server.port, server.stats, seconds=SECONDS, snapshot="none", **options)


def _rows(name: str, told: Told, goal: float | None) -> list[Row]:
    end = told.end
    lost = end["placed"] - end["answered"] + end["refused"] + end["holes"] + end["gone"]
    return [
        Row(f"{name}: to a watcher, p50", end["deliveries"]["p50"], "ms"),
        Row(f"{name}: to a watcher, p99", end["deliveries"]["p99"], "ms", goal),
        Row(f"{name}: to its ack, p99", end["acks"]["p99"], "ms"),
        Row(f"{name}: deliveries a second", end["frames"] / end["seconds"], "/s"),
        Row(f"{name}: bytes a viewer and hour", _mb_per_hour(told), "MB"),
        Row(f"{name}: placements unanswered or refused, holes, cuts", lost, "", 0),
        Row(f"{name}: a ping meanwhile, p99", end["probes"]["p99"], "ms"),
    ]


def _mb_per_hour(told: Told) -> float:
    each = told.end["bytes"] / told.joined["inside"] / told.end["seconds"]
    return float(each * 3600 / 1e6)


def _core(told: Told) -> float:
    return float(100 * told.cpu / told.end["seconds"])
