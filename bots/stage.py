"""Crews that come and go by a plan: one for a single way, many for a scenario.

Owns when each crew starts and stops, and the end of all. Never prints. Called by the command line;
its crews are looked at by the screen.
"""

import asyncio
from collections.abc import Callable
from dataclasses import dataclass
from itertools import pairwise

from bots.crew import Crew, Plan
from bots.team import Team
from bots.waiting import came
from bots.way import Progress, Way


@dataclass(frozen=True, slots=True)
class Window:
    """From when to when a crew is there, in seconds of the run; None: to the end."""

    start_s: float = 0.0
    stop_s: float | None = None


@dataclass(frozen=True, slots=True)
class Act:
    """A crew's part; with several windows the same identities come again."""

    name: str
    plan: Plan
    make: Callable[[], Way]
    windows: tuple[Window, ...] = (Window(),)
    way: str = ""
    """Its name in the table of ways."""

    def __post_init__(self) -> None:
        for before, after in pairwise(self.windows):
            if before.stop_s is None or before.stop_s > after.start_s:
                raise ValueError(f"{self.name}: its windows overlap")


@dataclass(slots=True)
class Cast:
    """An act as it is going: its crew of the moment, and those before."""

    act: Act
    crews: list[Crew]

    @property
    def crew(self) -> Crew | None:
        """The newest crew; None before the first."""
        return self.crews[-1] if self.crews else None

    @property
    def team(self) -> Team | None:
        """The way of the newest crew, if it is one with an aim."""
        crew = self.crew
        return crew.way if crew is not None and isinstance(crew.way, Team) else None

    @property
    def progress(self) -> Progress | None:
        """How far its aim has come."""
        return None if self.team is None else self.team.progress()

    @property
    def shortfall(self) -> str:
        """What of its aim was not reached; empty when nothing is missing."""
        return "" if self.team is None else self.team.shortfall()


class Stage:
    """Everybody of one run."""

    def __init__(self, acts: tuple[Act, ...], *, now_s: Callable[[], float]) -> None:
        self.casts = [Cast(act, []) for act in acts]
        self.over = asyncio.Event()
        """Set it, and every crew verifies and leaves."""
        self._now_s = now_s
        self._began_s = now_s()

    @property
    def elapsed_s(self) -> float:
        """Seconds since it was made."""
        return self._now_s() - self._began_s

    async def run(self) -> None:
        """Play all acts to their ends."""
        self._began_s = self._now_s()
        async with asyncio.TaskGroup() as group:
            for cast in self.casts:
                group.create_task(self._perform(cast))

    @property
    def succeeded(self) -> bool:
        """Every board was proven, and every aim reached."""
        crews = [crew for cast in self.casts for crew in cast.crews]
        proven = all(crew.tally.all_verified for crew in crews)
        return proven and not any(cast.shortfall for cast in self.casts)

    async def _perform(self, cast: Cast) -> None:
        passports: dict[int, str] = {}
        for window in cast.act.windows:
            if await came(self.over, max(0.0, window.start_s - self.elapsed_s)):
                return
            crew = Crew(cast.act.plan, cast.act.make(), now_s=self._now_s, passports=passports)
            cast.crews.append(crew)
            await self._play(crew, window.stop_s)

    async def _play(self, crew: Crew, stop_s: float | None) -> None:
        playing, over = asyncio.create_task(crew.run()), asyncio.create_task(self.over.wait())
        left_s = None if stop_s is None else max(0.0, stop_s - self.elapsed_s)
        try:
            await asyncio.wait([playing, over], timeout=left_s, return_when=asyncio.FIRST_COMPLETED)
            crew.stop.set()
            await playing
        finally:
            playing.cancel()
            over.cancel()
