"""One process of the load test: plays its share of the plan, and tells what it counts.

Reads an order from standard input, then `begin T`, later `finish` and `settle N`; the end of its
input ends it at once. Says when it is ready to begin, and from then on writes a JSON line twice a
second. Started by crowd.py as `python -m bots.load.worker`.
"""

import asyncio
import gc
import sys
import time
from collections.abc import Callable, Iterator
from random import Random
from typing import Any

import orjson
from tesserae_client.address import socket_url

from bots.files import make_room
from bots.load.follower import Follower
from bots.load.line import Address
from bots.load.member import Member
from bots.load.patterns import cells, share
from bots.load.placer import Placer
from bots.load.plan import Plan
from bots.load.seats import Seat, seats
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


class Worker:
    """The share of one process."""

    def __init__(self, order: Order, write: Callable[[bytes], object]) -> None:
        self._plan = order.plan
        self._write = write
        self._over = asyncio.Event()
        self._began_s = 0.0
        self.tally = Tally(lambda: time.monotonic() - self._began_s)
        self._shared = Shared(order.plan.game, self.tally)
        self._address = Address.of(socket_url(order.plan.url))
        self._members = [
            self._member(seat)
            for seat in seats(order.plan)
            if seat.number % order.processes == order.number
        ]

    async def run(self, commands: asyncio.StreamReader) -> None:
        """Play to the end; at once to the end of `commands`, if that comes first."""
        self._write(orjson.dumps({"ready": True}) + b"\n")
        begin = await commands.readline()
        if not begin.startswith(b"begin "):
            return
        # On the monotonic clock, which all processes of a machine share.
        self._began_s = float(begin.split()[1])
        await self._play(commands)

    async def _play(self, commands: asyncio.StreamReader) -> None:
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
        staying = [member for member in self._members if member.stays]
        await self._gathered(staying)
        self.tally.slot().counts["unanswered"] += sum(f.unanswered for f in self._placers())
        self._report(finished=self._shared.newest_seq)
        command = await commands.readline()
        if command.startswith(b"settle "):
            await self._conclude(int(command.split()[1]), staying)

    async def _finish_time(self, commands: asyncio.StreamReader) -> bool:
        """Wait for the planned end or for `finish`; False when nobody tells us any more."""
        try:
            async with asyncio.timeout(max(0.0, self._plan.seconds - self.tally.now_s())):
                return bool(await commands.readline())
        except TimeoutError:
            return True

    async def _gathered(self, staying: list[Member]) -> None:
        """Wait for answers and for those who are on their way; who is not there then has failed."""
        by_s = self.tally.now_s() + DRAIN_S
        await self._while(
            lambda: (
                any(f.unanswered for f in self._placers() if f.line is not None)
                or any(not m.there and m.comes_by(by_s) for m in staying)
            )
        )
        for member in staying:
            if not member.there and not member.failed:
                why = member.trouble or "no answer in time"
                self.tally.failures[f"not there at the end: {why}"] += 1

    async def _conclude(self, seq: int, staying: list[Member]) -> None:
        there = [member.follower for member in self._members if member.there]
        await self._while(lambda: any(f.sync.seq < seq for f in there))
        self.tally.slot().counts["behind"] += sum(f.sync.seq < seq for f in there)
        provers = [member for member in staying if member.follower.sync.track]
        self.tally.slot().counts["boards"] += len(provers)
        turns = asyncio.Semaphore(PROVE_AT_ONCE)
        await asyncio.gather(*(self._prove(m.follower, turns) for m in provers if m.there))

    async def _prove(self, follower: Follower, turns: asyncio.Semaphore) -> None:
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
            due_s = self.tally.now_s() + MATCHES_EVERY_S
            await asyncio.sleep(MATCHES_EVERY_S)
            now_s = self.tally.now_s()
            self.tally.slot(now_s).late.add(now_s - due_s)

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

    def _member(self, seat: Seat) -> Member:
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

    def _hand_cells(self, placer: Placer, seat: Seat) -> None:
        picture = self._plan.picture
        if seat.part.pattern == "picture" and picture is not None:
            placer.generation = picture.generation
            placer.cells = share(picture, seat.number % self._plan.placers, self._plan.placers)
        else:
            placer.cells = cells(seat.part.pattern, placer.rng, placer)


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
