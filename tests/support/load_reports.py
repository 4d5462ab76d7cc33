"""A report of a load test with figures that are easy to follow by eye."""

from collections import Counter
from typing import Any

import numpy as np

from bots.load.goals import Goals
from bots.load.making import made
from bots.load.plan import Plan, Steps, of_steps
from bots.load.report import Delays, Report, Span
from bots.load.tally import Slot
from bots.load.timeline import Gauges, Timeline

GAUGES = Gauges(22, 0.125, 0.5, 64_000_000, 0.6)
DELAYS = Delays(count=100, p50=10.0, p95=30.0, p99=40.0, max=55.5)


def span(**fields: Any) -> Span:
    """One step; the figures given are taken instead of the usual ones."""
    usual: dict[str, Any] = {
        "name": "step 1", "start_s": 1, "stop_s": 11, "connected": 120.0, "sent": 100,
        "accepted": 100, "refused": {}, "lost": 0, "held_back": 0, "delivered": 12_000,
        "deliveries_per_s": 1200.0, "frames": 6000, "catch_ups": 0, "holes": 0, "cuts": 0,
        "not_opened": 0, "ack_ms": DELAYS, "delivery_ms": DELAYS, "late_ms": DELAYS,
        "mb_per_viewer_hour": 4.2, "clients_cpu": 0.3, "server_cpu": 0.25,
        "server_bytes": 96_000_000, "machine_cpu": 0.6,
    }  # fmt: skip
    return Span(**usual | fields)


def plan() -> Plan:
    """20 spectators and 2 placers for four seconds, then twice as many."""
    steps = Steps(
        spectators=(20, 40), placers=(2, 4), rates=(5.0,), step_s=4, joins_per_s=50.0,
        pattern="random",
    )  # fmt: skip
    return of_steps(steps, url="ws://canvas.example/ws", game="place#main", seed=0, provers=4)


def timeline(
    of: Plan, gauges: Gauges = GAUGES, seconds: int | None = None, **counts: int
) -> Timeline:
    """A run of that plan in which every second is like the one before."""
    run = Timeline(of.phases)
    for second in range(seconds or of.seconds):
        slot = Slot()
        slot.counts.update(sent=10, accepted=10, delivered=220, frames=110, bytes=4400)
        slot.acks.add_all(np.linspace(0.001, 0.020, 10))
        slot.deliveries.add_all(np.linspace(0.002, 0.040, 220))
        slot.late.add(0.001)
        run.add(second, slot)
        run.sample(second, gauges)
    last = Slot()
    last.counts.update({"boards": 4, "proven": 4, **counts})
    run.add((seconds or of.seconds) - 1, last)
    run.end()
    return run


def report(
    goals: dict[str, float] | None = None,
    failures: dict[str, int] | None = None,
    *,
    gauges: Gauges = GAUGES,
    ended_s: float | None = None,
    **counts: int,
) -> Report:
    """The report of that run; `counts` happened in its last second."""
    of = plan()
    run = timeline(of, gauges, None if ended_s is None else round(ended_s), **counts)
    return made(
        of, run, Counter(failures or {}), Goals(goals or {}), processes=2,
        started_at="2026-05-01T12:00:00+00:00", ended_s=ended_s,
    )  # fmt: skip
