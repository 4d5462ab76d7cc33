"""A crew of bots on one board: they connect, play until told to stop, then prove their boards.

Owns the tasks of a run. Never prints: what happens is counted in the tally. Called by the command
line.
"""

import asyncio
from collections.abc import Callable, Coroutine, Iterator
from dataclasses import dataclass
from random import Random

from tesserae_client import Client, Connected, Event, Lost, PlacementUnknown, Stopped, TesseraeError

from bots.pace import delay_s
from bots.report import Tally

GRACE_S = 5.0
"""For a placement, or a reconnect, that is under way when the run ends."""
VERIFY_TIMEOUT_S = 30.0
VERIFY_AT_ONCE = 8
CONNECT_PER_S = 100.0
"""Bots arrive one after the other, below the limit of handshakes of a default server."""

Way = Callable[[Random, Client], Iterator[tuple[int, int, int]]]
"""A way of playing: yields (x, y, color) without end, once the client is ready."""


@dataclass(frozen=True, slots=True)
class Plan:
    """Who plays where, and how fast."""

    url: str
    game: str
    bots: int
    spectators: int
    rate: float | None
    """Placements a second of each bot; None: as the cooldown allows."""
    seed: int
    tokens: tuple[str, ...] = ()
    """Identities for the first bots; the others are guests."""


class Crew:
    """Everyone of one run."""

    def __init__(self, plan: Plan, way: Way, *, now_s: Callable[[], float]) -> None:
        self.tally = Tally(plan.bots, plan.spectators)
        self.stop = asyncio.Event()
        """Set it, and everyone verifies and leaves."""
        self._plan = plan
        self._way = way
        self._now_s = now_s
        self._verifying = asyncio.Semaphore(VERIFY_AT_ONCE)

    async def run(self) -> None:
        """Play until `stop` is set, or nobody is left."""
        async with asyncio.TaskGroup() as group:
            for number in range(self.tally.clients):
                group.create_task(self._one(number))

    async def _one(self, number: int) -> None:
        rng = Random(f"{self._plan.seed}/{number}")
        if await self._pause(number / CONNECT_PER_S):
            self.tally.failures["stopped before it connected"] += 1
            return
        member = _Member(self.tally)
        try:
            async with self._client(number, rng, member.heard) as client:
                await self._unless_stopped(client.ready())
                if number < self._plan.bots:
                    await self._unless_stopped(self._play(client, rng))
                await self.stop.wait()
                if await self._in_step(client):
                    await self._verify(client)
        except Stopped as stopped:
            self.tally.failures[str(stopped)] += 1
        finally:
            member.left()

    def _client(self, number: int, rng: Random, heard: Callable[[Event], None]) -> Client:
        plan = self._plan
        player = number < plan.bots
        return Client(
            plan.url,
            game=plan.game,
            token=plan.tokens[number] if player and number < len(plan.tokens) else None,
            guest=player,
            wants_presence=False,
            on_event=heard,
            rng=rng,
        )

    async def _unless_stopped(self, work: Coroutine[None, None, None]) -> None:
        """Do it; once the run is over it has a little while to end by itself."""
        task, over = asyncio.create_task(work), asyncio.create_task(self.stop.wait())
        try:
            await asyncio.wait([task, over], return_when=asyncio.FIRST_COMPLETED)
            await asyncio.wait([task], timeout=GRACE_S)
            if task.done():
                task.result()
        finally:
            task.cancel()
            over.cancel()

    async def _play(self, client: Client, rng: Random) -> None:
        interval_s = None if self._plan.rate is None else 1 / self._plan.rate
        if await self._pause(rng.uniform(0, interval_s or 1.0)):
            return
        for x, y, color in self._way(rng, client):
            began_s = self._now_s()
            outcome = await client.place(x, y, color)
            took_s = self._now_s() - began_s
            self.tally.note(outcome, took_s)
            wait_s = delay_s(outcome, interval_s)
            if wait_s is None:
                return
            if await self._pause(max(0.0, wait_s - (took_s if interval_s else 0.0))):
                return

    async def _in_step(self, client: Client) -> bool:
        """Give one that is cut at the end a little while to come back."""
        try:
            async with asyncio.timeout(GRACE_S):
                await client.ready()
        except TimeoutError:
            self.tally.failures[f"not in step at the end: {self.tally.trouble or 'no answer'}"] += 1
            return False
        return True

    async def _verify(self, client: Client) -> None:
        try:
            async with asyncio.timeout(VERIFY_TIMEOUT_S), self._verifying:
                agrees = await client.verify()
        except (TesseraeError, TimeoutError) as fault:
            self.tally.failures[f"not verified: {str(fault) or 'no answer in time'}"] += 1
            return
        if agrees:
            self.tally.verified += 1
        else:
            self.tally.failures["the board differs from the server's"] += 1

    async def _pause(self, seconds: float) -> bool:
        """Wait; True when the run is over."""
        try:
            async with asyncio.timeout(seconds):
                await self.stop.wait()
        except TimeoutError:
            return False
        return True


class _Member:
    """Counts one client in the tally."""

    def __init__(self, tally: Tally) -> None:
        self._tally = tally
        self._connected = False

    def heard(self, event: Event) -> None:
        if isinstance(event, Connected):
            self._tally.connected += not self._connected
            self._connected = True
        elif isinstance(event, Lost):
            self._tally.cuts += self._connected
            self._tally.trouble = event.reason
            self.left()
        elif isinstance(event, PlacementUnknown):
            self._tally.unknown += 1

    def left(self) -> None:
        self._tally.connected -= self._connected
        self._connected = False
