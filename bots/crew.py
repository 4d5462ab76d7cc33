"""A crew of bots on one board: they connect, play until told to stop, then prove their boards.

Owns the tasks of a run. Never prints: what happens is counted in the tally. A way with a team has
one more client, which watches for all. Called by the command line and the stage.
"""

import asyncio
from collections.abc import Callable, Coroutine
from dataclasses import dataclass
from random import Random

from tesserae_client import (
    Client,
    Connected,
    Event,
    Lost,
    PlacementUnknown,
    RateLimited,
    Refused,
    Stopped,
    TesseraeError,
)

from bots.pace import at_once, delay_after_s
from bots.report import Tally
from bots.team import Team
from bots.waiting import came
from bots.way import Seat, Turn, Way, WayError

GRACE_S = 5.0
"""For a placement, or a reconnect, that is under way when the run ends."""
VERIFY_TIMEOUT_S = 30.0
VERIFY_AT_ONCE = 8
LEAST_PATIENCE_S = 0.05
CONNECT_PER_S = 100.0
"""Bots arrive one after the other, below the limit of handshakes of a default server."""


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
    ramp_s: float = 0.0
    """They arrive evenly over so long."""


class Crew:
    """Everyone of one run."""

    def __init__(
        self,
        plan: Plan,
        way: Way,
        *,
        now_s: Callable[[], float],
        passports: dict[int, str] | None = None,
    ) -> None:
        self.way = way
        self.plan = plan
        self.stop = asyncio.Event()
        """Set it, and everyone verifies and leaves."""
        self._team = way if isinstance(way, Team) else None
        watchers = plan.spectators + (self._team is not None)
        boards = watchers + (plan.bots if self._team is None else 0)
        self.tally = Tally(plan.bots, watchers, boards)
        self._now_s = now_s
        self._began_s = now_s()
        self._ended = False
        self._passports = {} if passports is None else passports
        self._passports.update(enumerate(plan.tokens[: plan.bots]))
        self._gone: set[int] = set()
        self._verifying = asyncio.Semaphore(VERIFY_AT_ONCE)

    async def run(self) -> None:
        """Play until `stop` is set, the way has reached its aim, or nobody is left."""
        self._began_s = self._now_s()
        async with asyncio.TaskGroup() as group:
            if self._team is not None:
                group.create_task(self._lead(self._team))
            for number in range(self.plan.bots + self.plan.spectators):
                group.create_task(self._one(number))
        self.look()
        self._ended = True

    def look(self) -> None:
        """Bring the time and the rate of the tally up to date."""
        if not self._ended:
            self.tally.look(self._now_s() - self._began_s)

    async def _lead(self, team: Team) -> None:
        member = _Member(self.tally)
        try:
            async with self._client(None, Random(f"{self.plan.seed}"), member.heard) as client:
                if not await self._unless_stopped(team.lead(client, self.stop)):
                    self._count_absent(None)
                    return
                self.stop.set()
                if await self._in_step(client):
                    await self._verify(client)
                    team.conclude()
        except (Stopped, WayError) as reason:
            self.tally.failures[str(reason)] += 1
        finally:
            self.stop.set()
            member.left()

    async def _one(self, number: int) -> None:
        rng = Random(f"{self.plan.seed}/{number}")
        bot = number if number < self.plan.bots else None
        if await came(self.stop, self._arrives_s(number)):
            if self._has_board(bot):
                self.tally.failures["stopped before it connected"] += 1
            return
        member = _Member(self.tally)
        try:
            async with self._client(bot, rng, member.heard) as client:
                await self._stay(client, bot, rng)
        except Stopped as stopped:
            self.tally.failures[str(stopped)] += 1
        finally:
            self._leaves(bot)
            member.left()

    async def _stay(self, client: Client, bot: int | None, rng: Random) -> None:
        if not await self._unless_stopped(client.ready()):
            self._count_absent(bot)
            return
        if bot is not None:
            if client.token is not None:
                self._passports[bot] = client.token
            await self._unless_stopped(self._play(client, bot, rng))
        await self.stop.wait()
        if self._has_board(bot) and await self._in_step(client):
            await self._verify(client)

    def _arrives_s(self, number: int) -> float:
        everybody = self.plan.bots + self.plan.spectators
        return max(number / CONNECT_PER_S, number * self.plan.ramp_s / everybody)

    def _has_board(self, bot: int | None) -> bool:
        return bot is None or self._team is None

    def _leaves(self, bot: int | None) -> None:
        """End the run when no bot is left that may place; harmless twice."""
        if bot is not None:
            self._gone.add(bot)
            if len(self._gone) == self.plan.bots:
                self.stop.set()

    def _client(self, bot: int | None, rng: Random, heard: Callable[[Event], None]) -> Client:
        return Client(
            self.plan.url,
            game=self.plan.game,
            token=None if bot is None else self._passports.get(bot),
            guest=bot is not None,
            watch=self._has_board(bot),
            wants_presence=False,
            on_event=heard,
            rng=rng,
        )

    async def _unless_stopped(self, work: Coroutine[None, None, None]) -> bool:
        """Do it; once the run is over it has a little while to end by itself. False: given up."""
        task, over = asyncio.create_task(work), asyncio.create_task(self.stop.wait())
        try:
            await asyncio.wait([task, over], return_when=asyncio.FIRST_COMPLETED)
            await asyncio.wait([task], timeout=GRACE_S)
            if task.done():
                task.result()
            return task.done()
        finally:
            task.cancel()
            over.cancel()

    async def _play(self, client: Client, bot: int, rng: Random) -> None:
        rate = self.plan.rate
        if await came(self.stop, rng.uniform(0, 1.0 if rate is None else 1 / rate)):
            return
        seat = self.way.seat(rng, client)
        try:
            while (turn := await seat.turn(at_once(rate))) is not None:
                if await came(self.stop, await self._place(client, seat, turn)):
                    return
        except _MayNotPlace as refused:
            self.tally.failures[str(refused)] += 1
            self._leaves(bot)
        finally:
            seat.leave()

    async def _place(self, client: Client, seat: Seat, turn: Turn) -> float:
        """Place a turn; returns how long to wait now."""
        began_s = self._now_s()
        outcomes = await client.place_many(turn.cells, generation=turn.generation)
        took_s = self._now_s() - began_s
        seat.learn(outcomes)
        for outcome in outcomes:
            self.tally.note(outcome, took_s)
        wait_s = delay_after_s(outcomes, self.plan.rate)
        if wait_s is None:
            codes = {outcome.code for outcome in outcomes if isinstance(outcome, Refused)}
            raise _MayNotPlace(f"may not place any more: {', '.join(sorted(codes))}")
        return max(0.0, wait_s - (took_s if self.plan.rate else 0.0))

    async def _in_step(self, client: Client) -> bool:
        """Give one that is cut at the end a little while to come back."""
        try:
            async with asyncio.timeout(GRACE_S):
                await client.ready()
        except TimeoutError:
            self._count_absent(None)
            return False
        return True

    def _count_absent(self, bot: int | None) -> None:
        """Note why a board, if there was to be one, cannot be proven."""
        if self._has_board(bot):
            self.tally.failures[f"not in step at the end: {self.tally.trouble or 'no answer'}"] += 1

    async def _verify(self, client: Client) -> None:
        try:
            async with asyncio.timeout(VERIFY_TIMEOUT_S), self._verifying:
                agrees = await _agrees(client)
        except (TesseraeError, TimeoutError) as fault:
            self.tally.failures[f"not verified: {str(fault) or 'no answer in time'}"] += 1
            return
        if agrees:
            self.tally.verified += 1
        else:
            self.tally.failures["the board differs from the server's"] += 1


async def _agrees(client: Client) -> bool:
    """Compare the board with the server's, with patience where all credits went on placing."""
    while True:
        try:
            return await client.verify()
        except RateLimited as limited:
            await asyncio.sleep(max(LEAST_PATIENCE_S, limited.retry_after_ms / 1000))


class _MayNotPlace(Exception):  # noqa: N818 - the end of one bot's part, no error
    """The server said that this bot has placed its last pixel."""


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
