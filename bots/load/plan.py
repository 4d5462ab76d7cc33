"""Who comes when and does what, for the whole load test: one value that every process is handed.

Owns the form, and how steps and scenarios become it; reads no clock and opens no socket. Called by
the command line, and read by the processes of the crowd.
"""

from collections.abc import Iterator
from itertools import pairwise
from math import ceil
from typing import TypeVar

from pydantic import Field

from bots.options import Options, Refused
from bots.scenario import Scenario

_T = TypeVar("_T")
MAX_CLIENTS = 50_000
PLAYED = ("random", "walk", "raster", "hotspot", "picture")
"""Patterns of placers that need no board of their own."""
WATCHES, WAITS = "spectate", "idle"


class Window(Options):
    """From when to when somebody is there, in seconds of the run; None: to the end."""

    start_s: float
    stop_s: float | None = None


class Pace(Options):
    """From when on each places how often, a second; None: as the cooldown allows."""

    start_s: float
    rate: float | None


class Part(Options):
    """Clients that come together and do the same."""

    name: str
    pattern: str
    count: int
    windows: tuple[Window, ...]
    ramp_s: float = 0.0
    """They arrive evenly over so long."""
    paces: tuple[Pace, ...] = ()
    tokens: tuple[str, ...] = ()
    """Identities for the first of them; the others are guests."""

    @property
    def places(self) -> bool:
        """They are somebody, and may place."""
        return self.pattern != WATCHES

    def stays_to(self, end_s: float) -> bool:
        """They are there at the end."""
        return any(window.stop_s is None or window.stop_s > end_s for window in self.windows)

    def rate_at(self, at_s: float) -> float | None:
        """Tell how often each places then."""
        now = [pace.rate for pace in self.paces if pace.start_s <= at_s]
        return now[-1] if now else None


class Phase(Options):
    """Whole seconds of the run that are reported together."""

    name: str
    start_s: int
    stop_s: int


class Picture(Options):
    """Cells of the pattern `picture`, as records in the frame of one generation."""

    generation: int
    records: tuple[int, ...]


class Plan(Options):
    """The whole run."""

    url: str
    game: str
    seed: int
    parts: tuple[Part, ...]
    phases: tuple[Phase, ...]
    seconds: int
    """When all stop placing."""
    provers: int
    """Followers that keep a board and prove it at the end."""
    picture: Picture | None = None

    @property
    def clients(self) -> int:
        """All who come."""
        return sum(part.count for part in self.parts)

    @property
    def placers(self) -> int:
        """Those of them who may place."""
        return sum(part.count for part in self.parts if part.places)


class Steps(Options):
    """What the flags say; lists with one number hold for every step."""

    spectators: tuple[int, ...]
    placers: tuple[int, ...]
    rates: tuple[float, ...] = Field(min_length=0)
    """Placements a second of each; none: as the cooldown allows."""
    step_s: int
    joins_per_s: float
    pattern: str
    tokens: tuple[str, ...] = ()


def of_steps(steps: Steps, *, url: str, game: str, seed: int, provers: int) -> Plan:
    """Plan a crowd that is raised in steps; raises Refused."""
    count = _count(steps)
    spectators, placers = _spread(steps.spectators, count), _spread(steps.placers, count)
    rates = _spread(steps.rates, count)
    _check_rising("--spectators", spectators)
    _check_rising("--placers", placers)
    ramps = list(_ramps(steps.joins_per_s, spectators, placers))
    phases = tuple(_phases(ramps, steps.step_s))
    paces = tuple(
        Pace(start_s=phase.start_s - ramp_s, rate=rate)
        for phase, ramp_s, rate in zip(phases, ramps, rates or (None,) * count, strict=True)
    )
    parts = [
        *_parts("spectators", WATCHES, spectators, phases, ramps, (), ()),
        *_parts("placers", steps.pattern, placers, phases, ramps, paces, steps.tokens),
    ]
    plan = Plan(
        url=url, game=game, seed=seed, parts=tuple(parts), phases=phases,
        seconds=phases[-1].stop_s, provers=provers,
    )  # fmt: skip
    return _checked(plan, "--spectators")


def of_scenario(scenario: Scenario, file: str, provers: int) -> Plan:
    """Plan what a file says; raises Refused."""
    if scenario.seconds is None:
        raise Refused([f"{file}: seconds: is missing; a load test has an end"])
    problems = [
        f"{file}: {act.name}: the load test does not play {act.way!r}; "
        f"known: {', '.join((*PLAYED[:-1], WAITS, WATCHES))}"
        for act in scenario.acts
        if act.way not in {*PLAYED, WAITS, WATCHES}
    ]
    if problems:
        raise Refused(problems)
    first, seconds = scenario.acts[0].plan, ceil(scenario.seconds)
    parts = tuple(
        Part(
            name=act.name,
            pattern=act.way,
            count=act.plan.bots + act.plan.spectators,
            windows=tuple(Window(start_s=w.start_s, stop_s=w.stop_s) for w in act.windows),
            ramp_s=act.plan.ramp_s,
            paces=(Pace(start_s=0.0, rate=act.plan.rate),),
            tokens=act.plan.tokens,
        )
        for act in scenario.acts
    )
    phase = Phase(name="the whole scenario", start_s=0, stop_s=seconds)
    plan = Plan(
        url=first.url, game=first.game, seed=first.seed, parts=parts, phases=(phase,),
        seconds=seconds, provers=provers,
    )  # fmt: skip
    return _checked(plan, file)


def _checked(plan: Plan, where: str) -> Plan:
    if not plan.clients:
        raise Refused([f"{where}: nobody to send; give --spectators or --placers"])
    if plan.clients > MAX_CLIENTS:
        raise Refused([f"{where}: {plan.clients:,} clients in all; {MAX_CLIENTS:,} are the most"])
    return plan


def _count(steps: Steps) -> int:
    lengths = {
        "--spectators": len(steps.spectators),
        "--placers": len(steps.placers),
        "--rate": len(steps.rates),
    }
    count = max(lengths.values())
    odd = [f"{flag} has {n}" for flag, n in lengths.items() if n not in {0, 1, count}]
    if odd:
        raise Refused([f"the longest list has {count} steps, but {', '.join(odd)}; give 1 or all"])
    return count


def _spread(values: tuple[_T, ...], count: int) -> tuple[_T, ...]:
    return values * count if len(values) == 1 else values


def _check_rising(flag: str, counts: tuple[int, ...]) -> None:
    if any(later < earlier for earlier, later in pairwise(counts)):
        raise Refused([f"{flag}: the numbers fall; give them in rising order"])


def _ramps(joins_per_s: float, *counts: tuple[int, ...]) -> Iterator[int]:
    """Yield for each step the seconds in which the new ones join."""
    before = 0
    for now in map(sum, zip(*counts, strict=True)):
        yield ceil((now - before) / joins_per_s)
        before = now


def _phases(ramps: list[int], step_s: int) -> Iterator[Phase]:
    at_s = 0
    for number, ramp_s in enumerate(ramps):
        at_s += ramp_s
        yield Phase(name=f"step {number + 1}", start_s=at_s, stop_s=at_s + step_s)
        at_s += step_s


def _parts(
    name: str,
    pattern: str,
    counts: tuple[int, ...],
    phases: tuple[Phase, ...],
    ramps: list[int],
    paces: tuple[Pace, ...],
    tokens: tuple[str, ...],
) -> Iterator[Part]:
    before = 0
    for phase, ramp_s, count in zip(phases, ramps, counts, strict=True):
        if count > before:
            yield Part(
                name=name,
                pattern=pattern,
                count=count - before,
                windows=(Window(start_s=float(phase.start_s - ramp_s)),),
                ramp_s=float(ramp_s),
                paces=paces,
                tokens=tokens[before:count],
            )
        before = count
