"""What a load test is to reach: each goal is a flag, a bound, and a figure of the report.

Owns the table of goals and the judging. A delay must be reached in every step, a count in the whole
run. A figure that was not measured reaches nothing. Called by the command line and the report.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from pydantic import BaseModel, ConfigDict, Field

Figure = Callable[[Any], float | None]


class Verdict(BaseModel):
    """A goal, and what was reached."""

    model_config = ConfigDict(frozen=True)

    flag: str = Field(description="The flag that states the goal.")
    span: str = Field(description="The step, or the whole run.")
    goal: float = Field(description="The most that may be.")
    measured: float | None = Field(description="What was; null when it was not measured.")
    reached: bool = Field(description="Whether the goal was.")


@dataclass(frozen=True, slots=True)
class Goal:
    """One row of the table."""

    help: str
    figure: Figure
    each_step: bool


GOALS = {
    "p50-ms": Goal("p50 from send to delivery", lambda s: s.delivery_ms.p50, each_step=True),
    "p95-ms": Goal("p95 from send to delivery", lambda s: s.delivery_ms.p95, each_step=True),
    "p99-ms": Goal("p99 from send to delivery", lambda s: s.delivery_ms.p99, each_step=True),
    "max-ms": Goal("the longest delivery", lambda s: s.delivery_ms.max, each_step=True),
    "ack-p99-ms": Goal("p99 from send to ack", lambda s: s.ack_ms.p99, each_step=True),
    "server-cpu": Goal("CPU of the server, in cores", lambda s: s.server_cpu, each_step=True),
    "refused": Goal("refused placements", lambda s: sum(s.refused.values()), each_step=False),
    "holes": Goal("holes in what followers were told", lambda s: s.holes, each_step=False),
    "lost": Goal("placements without an answer", lambda s: s.lost, each_step=False),
    "cut": Goal("lines that are lost", lambda s: s.cuts, each_step=False),
}
"""By the flag, without `--goal-`."""


@dataclass(frozen=True, slots=True)
class Goals:
    """The bounds that were given, by the names of the table."""

    bounds: Mapping[str, float]

    def judged(self, steps: Sequence[Any], whole: Any) -> Iterator[Verdict]:
        """Judge every goal: delays for each step, counts once."""
        for name, bound in self.bounds.items():
            goal = GOALS[name]
            for span in steps if goal.each_step else (whole,):
                yield _verdict(name, span.name, bound, goal.figure(span))


def _verdict(name: str, span: str, bound: float, measured: float | None) -> Verdict:
    reached = measured is not None and measured <= bound
    return Verdict(flag=f"--goal-{name}", span=span, goal=bound, measured=measured, reached=reached)
