"""The kind of way in which all bots work on one target, under one client that watches.

One board serves the whole crew: 500 boards of 1024 x 1024 would be half a gigabyte, each of them
brought up to date with every pixel of the others. Owns when the target is compared with the board;
what is wanted is a subclass's. Called by the crew.
"""

import asyncio
from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Sequence
from random import Random

from tesserae_client import Client, Color, GameState, Outcome

from bots.target import Claim, Colors, Target, View
from bots.waiting import came
from bots.way import Progress, Seat, Turn

Palette = tuple[Color | None, ...]

LOOK_EVERY_S = 0.25
BREATH_S = 0.02
"""Least time between two looks: one at a megapixel takes a few milliseconds."""


class Team(ABC):
    """A way that shares a board and an aim."""

    def __init__(self) -> None:
        self.over = False
        """No bot gets another turn."""
        self._target: Target | None = None
        self._watcher: Client | None = None
        self._palette: Palette = ()
        """What the colours of the target mean."""
        self._work = asyncio.Event()
        self._wanted = asyncio.Event()

    @abstractmethod
    async def begin(self, watcher: Client, state: GameState) -> Target:
        """Say what is wanted of this board; raises WayError."""

    @abstractmethod
    async def recolored(self, watcher: Client, state: GameState, target: Target) -> Target:
        """Say what is wanted now that the palette is another one; raises WayError."""

    @abstractmethod
    def reached(self, watcher: Client, target: Target) -> bool:
        """Hear that the board shows the target. True: that is all; False: go on, perhaps anew."""

    def note(self) -> str:
        """Say in words how it stands."""
        return ""

    def remark(self) -> str:
        """Say what is worth saying once."""
        return ""

    def shortfall(self) -> str:
        """Say at the end what of the aim was not reached; empty when nothing is missing."""
        return ""

    def progress(self) -> Progress | None:
        """Tell how far it has come; None before it began."""
        target = self._target
        if target is None:
            return None
        dropped, words = Counter(target.dropped), (self.note(), self.remark())
        return Progress(target.left, target.total, target.outside, dropped, *words)

    @property
    def target(self) -> Target | None:
        """What is wanted; None before it began."""
        return self._target

    def shown(self) -> Colors | None:
        """Return the region as the board shows it; None while that is not known."""
        target, watcher = self._target, self._watcher
        if target is None or watcher is None or not target.sees(watcher.board.colors):
            return None
        return target.shown()

    @property
    def watcher(self) -> Client | None:
        """The client whose board it is."""
        return self._watcher

    def seat(self, rng: Random, client: Client) -> Seat:  # noqa: ARG002 - the target has the order
        """Make room for one bot."""
        return _TeamSeat(self, client)

    async def lead(self, watcher: Client, over: asyncio.Event) -> None:
        """Keep the bots in work until the aim is reached or the run is over; raises WayError."""
        try:
            await watcher.ready()
            state = watcher.game_state
            if state is not None:
                self._palette = state.palette
                self._target = await self.begin(watcher, state)
                self._watcher = watcher
                await self._keep_looking(watcher, over)
        finally:
            self.over = True
            self._work.set()

    def take(self, most: int) -> Claim | None:
        """Claim cells on the board as it is; None while that is not known."""
        target, watcher = self._target, self._watcher
        if target is None or watcher is None or not watcher.in_step:
            return None
        if not target.sees(watcher.board.colors) or self._newly_colored(watcher) is not None:
            return None
        return target.take(most)

    def nudge(self) -> None:
        """Let the next look come soon."""
        self._wanted.set()

    def conclude(self) -> None:
        """Look a last time: what is shown and missing then is what is told."""
        if self._watcher is not None and self._target is not None and self._watcher.in_step:
            self._look(self._watcher, self._target)

    async def work(self) -> None:
        """Wait until there may be something to take."""
        self._work.clear()
        self.nudge()
        await self._work.wait()

    async def _keep_looking(self, watcher: Client, over: asyncio.Event) -> None:
        while not over.is_set():
            if watcher.in_step:
                target = await self._current(watcher)
                self._look(watcher, target)
                if target.done:
                    if self.reached(watcher, target):
                        return
                    self._look(watcher, target)
                if not target.idle:
                    self._work.set()
            await self._rest()

    async def _current(self, watcher: Client) -> Target:
        """Return the target, in the colours of the board as it is."""
        while (state := self._newly_colored(watcher)) is not None:
            self._target = await self.recolored(watcher, state, self._begun)
            self._palette = state.palette
        return self._begun

    @property
    def _begun(self) -> Target:
        if self._target is None:
            raise RuntimeError("there is no target before the way has begun")
        return self._target

    def _newly_colored(self, watcher: Client) -> GameState | None:
        """Return the game's state when its palette is not the one that the target is made for."""
        state = watcher.game_state
        return None if state is None or state.palette == self._palette else state

    def _look(self, watcher: Client, target: Target) -> None:
        state = watcher.game_state
        if state is not None:
            offset = state.offset_x, state.offset_y
            colors, generation = watcher.board.colors, watcher.generation
            target.look(View(colors, offset, watcher.seq, watcher.epoch, generation))

    async def _rest(self) -> None:
        """Wait until the next look is due, or is wanted."""
        self._wanted.clear()
        await asyncio.sleep(BREATH_S)
        await came(self._wanted, LOOK_EVERY_S)


class _TeamSeat:
    def __init__(self, team: Team, client: Client) -> None:
        self._team = team
        self._client = client
        self._claim: Claim | None = None
        self._target: Target | None = None
        """Whose claim it is."""

    async def turn(self, most: int) -> Turn | None:
        while not self._team.over:
            await self._client.ready()  # a claim in the hands of one that is cut holds all up
            self._claim, self._target = self._team.take(most), self._team.target
            if self._claim is not None:
                return Turn(self._claim.cells, self._claim.generation)
            if not self._team.over:
                await self._team.work()
        return None

    def learn(self, outcomes: Sequence[Outcome]) -> None:
        claim, self._claim = self._claim, None
        target = self._target
        if claim is not None and target is not None:
            for index, outcome in zip(claim.indexes, outcomes, strict=True):
                target.learn(index, outcome)
            self._team.nudge()

    def leave(self) -> None:
        claim, self._claim = self._claim, None
        target = self._target
        if claim is not None and target is not None:
            for index in claim.indexes:
                target.release(index)
