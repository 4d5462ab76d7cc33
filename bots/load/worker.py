"""One process of the load test: plays its share of the plan, and tells what it counts.

Reads an order from standard input, and later `finish` and `settle N`; the end of its input ends it
at once. Writes a JSON line twice a second. Started by crowd.py as `python -m bots.load.worker`.
"""

import asyncio
import gc
import sys
import time
from collections.abc import Callable, Iterator
from random import Random
from typing import Any, NamedTuple

import orjson
from tesserae_client.address import socket_url

from bots.files import make_room
from bots.load.follower import Follower
from bots.load.line import Address
from bots.load.member import Member
from bots.load.patterns import cells, share
from bots.load.placer import Placer
from bots.load.plan import Part, Plan
from bots.load.shared import Shared
from bots.load.tally import Tally
from bots.loop import loop_factory
from bots.options import Options

TELLS_EVERY_S = 0.5
MATCHES_EVERY_S = 0.05
LOOKS_EVERY_S = 0.02
DRAIN_S = 10.0
"""For acks and frames that are under way at the end."""
PROOF_S = 30.0
PROVE_AT_ONCE = 4
MOST_ORDER_BYTES = 1 << 30
"""A picture of 8000 x 8000 cells as text, and more."""


class Order(Options):
    """What one process is told."""

    plan: Plan
    number: int
    processes: int
    began_s: float
    """On the monotonic clock, which all processes of a machine share."""


class Worker:
    """The share of one process."""

    def __init__(self, order: Order, write: Callable[[bytes], object]) -> None:
        self._plan = order.plan
        self._write = write
        self._over = asyncio.Event()
        self.tally = Tally(lambda: time.monotonic() - order.began_s)
        self._shared = Shared(order.plan.game, self.tally)
        self._address = Address.of(socket_url(order.plan.url))
        self._members = [
            self._member(seat)
            for seat in seats(order.plan)
            if seat.number % order.processes == order.number
        ]

    async def run(self, commands: asyncio.StreamReader) -> None:
        """Play to the end; at once to the end of `commands`, if that comes first."""
        async with asyncio.TaskGroup() as group:
            players = [group.create_task(member.run()) for member in self._members]
            chores = [group.create_task(self._tell()), group.create_task(self._match())]
            try:
                await self._obey(commands)
            finally:
                self._over.set()
                for member in self._members:
                    member.leave()
                if players:
                    await asyncio.wait(players, timeout=DRAIN_S)
                for task in (*players, *chores):
                    task.cancel()
        self._settle(held_s=0.0)
        self._report(left=True)

    async def _obey(self, commands: asyncio.StreamReader) -> None:
        if not await self._finish_time(commands):
            return
        for follower in self._followers():
            if isinstance(follower, Placer):
                follower.finish()
        await self._while(lambda: any(f.unanswered for f in self._placers()))
        self.tally.slot().counts["unanswered"] += sum(f.unanswered for f in self._placers())
        self._report(finished=self._shared.newest_seq)
        command = await commands.readline()
        if command.startswith(b"settle "):
            await self._conclude(int(command.split()[1]))

    async def _finish_time(self, commands: asyncio.StreamReader) -> bool:
        """Wait for the planned end or for `finish`; False when nobody tells us any more."""
        try:
            async with asyncio.timeout(max(0.0, self._plan.seconds - self.tally.now_s())):
                return bool(await commands.readline())
        except TimeoutError:
            return True

    async def _conclude(self, seq: int) -> None:
        there = [member.follower for member in self._members if member.there]
        await self._while(lambda: any(f.sync.seq < seq for f in there))
        self.tally.slot().counts["behind"] += sum(f.sync.seq < seq for f in there)
        staying = [member.follower for member in self._members if member.stays]
        provers = [follower for follower in staying if follower.sync.track]
        turns = asyncio.Semaphore(PROVE_AT_ONCE)
        await asyncio.gather(*(self._prove(follower, turns) for follower in provers))

    async def _prove(self, follower: Follower, turns: asyncio.Semaphore) -> None:
        self.tally.slot().counts["boards"] += 1
        try:
            async with turns, asyncio.timeout(PROOF_S):
                await self._while(lambda: not follower.sync.synced)
                agrees = await follower.prove()
        except (ConnectionError, TimeoutError) as fault:
            why = self.tally.trouble or str(fault) or "no answer in time"
            self.tally.failures[f"a board was not proven: {why}"] += 1
            return
        if agrees:
            self.tally.slot().counts["proven"] += 1
        else:
            self.tally.failures["a board differs from the server's"] += 1

    async def _while(self, pending: Callable[[], bool]) -> None:
        """Wait as long as it holds, and no longer than things may be under way."""
        for _ in range(int(DRAIN_S / LOOKS_EVERY_S)):
            if not pending():
                return
            await asyncio.sleep(LOOKS_EVERY_S)

    def _followers(self) -> Iterator[Follower]:
        return (member.follower for member in self._members)

    def _placers(self) -> Iterator[Placer]:
        return (f for f in self._followers() if isinstance(f, Placer))

    # --- what is told -------------------------------------------------------------------------

    async def _tell(self) -> None:
        while True:
            self._report()
            await asyncio.sleep(TELLS_EVERY_S)

    async def _match(self) -> None:
        while True:
            self._settle()
            await asyncio.sleep(MATCHES_EVERY_S)

    def _settle(self, **held: float) -> None:
        for seen_s, delays_s in self._shared.deliveries.settled(self.tally.now_s(), **held):
            self.tally.slot(seen_s).deliveries.add_all(delays_s)

    def _report(self, **more: Any) -> None:
        tally = self.tally
        slots = {str(second): slot.to_json() for second, slot in tally.take().items()}
        line = {
            "at": tally.now_s(),
            "connected": tally.connected,
            "cpu": time.process_time(),
            "trouble": tally.trouble,
            "failures": tally.failures,
            "slots": slots,
            **more,
        }
        self._write(orjson.dumps(line) + b"\n")

    # --- who plays ----------------------------------------------------------------------------

    def _member(self, seat: "Seat") -> Member:
        part, index, proves = seat.part, seat.place, seat.proves
        rng = Random(f"{self._plan.seed}/{seat.number}")
        token = part.tokens[index] if index < len(part.tokens) else None
        after_s = index * part.ramp_s / part.count
        follower = (
            Placer(self._shared, rng, proves=proves, token=token, rate_at=part.rate_at)
            if part.places
            else Follower(self._shared, rng, proves=proves, token=token)
        )
        if isinstance(follower, Placer):
            self._hand_cells(follower, seat)
        return Member(follower, self._address, part.windows, after_s, self._over)

    def _hand_cells(self, placer: Placer, seat: "Seat") -> None:
        picture = self._plan.picture
        if seat.part.pattern == "picture" and picture is not None:
            placer.generation = picture.generation
            placer.cells = share(picture, seat.number % self._plan.placers, self._plan.placers)
        else:
            placer.cells = cells(seat.part.pattern, placer.rng, placer)


class Seat(NamedTuple):
    """One client of the plan."""

    number: int
    part: Part
    place: int
    """In its part."""
    proves: bool


def seats(plan: Plan) -> Iterator[Seat]:
    """Number all clients, so that each process gets its share of each part; provers are spread."""
    number, provers = 0, min(plan.provers, plan.clients)
    for part in plan.parts:
        for place in range(part.count):
            before = number * provers // plan.clients
            proves = (number + 1) * provers // plan.clients > before
            yield Seat(number, part, place, proves)
            number += 1


async def _main() -> None:
    loop = asyncio.get_running_loop()
    commands = asyncio.StreamReader(limit=MOST_ORDER_BYTES)
    await loop.connect_read_pipe(lambda: asyncio.StreamReaderProtocol(commands), sys.stdin)
    order = Order.model_validate_json(await commands.readline())
    make_room(order.plan.clients // order.processes + 1)

    def write(line: bytes) -> None:
        sys.stdout.buffer.write(line)
        sys.stdout.buffer.flush()

    worker = Worker(order, write)
    gc.freeze()
    await worker.run(commands)


def main() -> None:
    """Play what standard input says."""
    with asyncio.Runner(loop_factory=loop_factory()) as runner:
        runner.run(_main())


if __name__ == "__main__":
    main()
