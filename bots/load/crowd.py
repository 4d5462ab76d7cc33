"""The processes of the load test: started, read, brought to one end, and put together.

Owns the child processes and the timeline of the run; what they play is the worker's. A process that
dies is a failure, and the others play on. Called by the command line, and looked at by the screen.
"""

import asyncio
import contextlib
import sys
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import orjson

from bots.load.plan import Plan
from bots.load.tally import Slot
from bots.load.timeline import Gauges, Timeline
from bots.load.usage import Machine, Usage
from bots.load.worker import Order
from bots.waiting import came

LINE_BYTES = 16 * 1024 * 1024
READY_WITHIN_S = 60.0
"""For the processes to start; who takes longer comes late."""
LEAD_S = 0.1
"""From the word to begin to the beginning, which all processes wait for."""
END_WITHIN_S = 120.0
"""From the planned end to the last word: draining, proving and leaving are bounded each."""
SAID_CHARACTERS = 500
PLAYING, PROVING = "playing", "proving boards"


@dataclass(slots=True)
class _Hand:
    """One process."""

    process: asyncio.subprocess.Process
    connected: int = 0
    cpu_s: float = 0.0
    busy: float = 0.0
    at_s: float = 0.0
    trouble: str = ""
    failures: Counter[str] = field(default_factory=Counter)
    ready: asyncio.Event = field(default_factory=asyncio.Event)
    finished: asyncio.Event = field(default_factory=asyncio.Event)
    newest_seq: int = 0
    left: bool = False


class Crowd:
    """Everybody of one load test."""

    def __init__(
        self, plan: Plan, processes: int, usage: Usage | None, *, now_s: Callable[[], float]
    ) -> None:
        self.plan = plan
        self.timeline = Timeline(plan.phases)
        self.failures: Counter[str] = Counter()
        self.state = "starting"
        self._processes = processes
        self._usage = usage
        self._now_s = now_s
        self._began_s = 0.0
        self._hands: list[_Hand] = []
        self._broken = 0
        """Processes that went without a word."""
        self._stop = asyncio.Event()
        self._machine = Machine()
        self.server_cpu: float | None = None
        self.ended_s: float | None = None
        """When it was ended, if before its plan was."""

    @property
    def elapsed_s(self) -> float:
        """Seconds of the run; 0 before it begins."""
        return max(0.0, self._now_s() - self._began_s) if self._began_s else 0.0

    @property
    def connected(self) -> int:
        """Clients that are joined at this moment."""
        return sum(hand.connected for hand in self._hands)

    @property
    def trouble(self) -> str:
        """Why a line was lost, or not opened, last; empty when nothing of that was."""
        return next((hand.trouble for hand in self._hands if hand.trouble), "")

    @property
    def busiest(self) -> float:
        """CPU of the busiest process; 1.0 is a core."""
        return max((hand.busy for hand in self._hands), default=0.0)

    def finish(self) -> None:
        """End the run early, in order."""
        self._stop.set()

    async def run(self) -> None:
        """Play the plan to its end."""
        try:
            for number in range(self._processes):
                self._hands.append(await self._started(number))
            async with asyncio.TaskGroup() as group:
                reading = [group.create_task(self._read(hand)) for hand in self._hands]
                await self._begin()
                watching = group.create_task(self._watch())
                await self._conduct(reading)
                watching.cancel()
        finally:
            for hand in self._hands:
                if hand.process.returncode is None:
                    hand.process.kill()
                    await hand.process.wait()
        self.timeline.end()
        for hand in self._hands:
            self.failures.update(hand.failures)

    async def _started(self, number: int) -> _Hand:
        process = await asyncio.create_subprocess_exec(
            sys.executable, "-m", "bots.load.worker",
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.PIPE,
            limit=LINE_BYTES,
            start_new_session=True,  # Ctrl-C is ours to pass on, in order
        )  # fmt: skip
        order = Order(plan=self.plan, number=number, processes=self._processes)
        hand = _Hand(process)
        await _say(hand, order.model_dump_json().encode())
        return hand

    async def _begin(self) -> None:
        """Begin once all can: on a busy machine a process takes seconds to start."""
        starting = asyncio.gather(*(hand.ready.wait() for hand in self._hands))
        with contextlib.suppress(TimeoutError):
            await asyncio.wait_for(starting, READY_WITHIN_S)
        self._began_s = self._now_s() + LEAD_S
        await self._say_all(f"begin {self._began_s!r}".encode())

    async def _conduct(self, reading: list["asyncio.Task[None]"]) -> None:
        """Bring all to the end together: each is told the newest seq that any of them knows."""
        self.state = PLAYING
        if await came(self._stop, LEAD_S + self.plan.seconds):
            self.ended_s = self.elapsed_s
            await self._say_all(b"finish")
        self.state = "waiting for what is under way"
        finishing = [asyncio.create_task(hand.finished.wait()) for hand in self._hands]
        await asyncio.wait(finishing, timeout=END_WITHIN_S)
        self.state = PROVING
        newest = max(hand.newest_seq for hand in self._hands)
        await self._say_all(b"settle %d" % newest)
        await asyncio.wait(reading, timeout=END_WITHIN_S)
        for task in (*finishing, *reading):
            task.cancel()

    async def _say_all(self, words: bytes) -> None:
        for hand in self._hands:
            await _say(hand, words)

    # --- what they tell -----------------------------------------------------------------------

    async def _read(self, hand: _Hand) -> None:
        """Take the lines of one process until it ends."""
        stdout, stderr = hand.process.stdout, hand.process.stderr
        if stdout is None or stderr is None:
            raise RuntimeError("a process was started without pipes")
        complaint = asyncio.create_task(stderr.read())
        try:
            while line := await stdout.readline():
                self._take(hand, orjson.loads(line))
        finally:
            hand.ready.set()
            hand.finished.set()
            hand.connected = 0
            if not hand.left:
                said = (await complaint).decode(errors="replace").strip().splitlines()
                why = said[-1] if said else f"exit code {await hand.process.wait()}"
                self.failures[f"a process of the load test broke off: {why[:SAID_CHARACTERS]}"] += 1
                self._broken += 1
                if self._broken == self._processes:
                    self.finish()
            complaint.cancel()

    def _take(self, hand: _Hand, told: dict[str, Any]) -> None:
        if "ready" in told:
            hand.ready.set()
            return
        for second, fields in told["slots"].items():
            self.timeline.add(int(second), Slot.from_json(fields))
        span_s = told["at"] - hand.at_s
        if hand.cpu_s and span_s > 0:  # what it took to start is no load
            hand.busy = (told["cpu"] - hand.cpu_s) / span_s
        hand.at_s, hand.cpu_s = told["at"], told["cpu"]
        hand.connected, hand.trouble = told["connected"], told["trouble"]
        hand.failures = Counter(told["failures"])
        hand.left = "left" in told
        if "finished" in told:
            hand.newest_seq = told["finished"]
            hand.finished.set()

    async def _watch(self) -> None:
        """Take the gauges of each second, until nothing is under way any more."""
        second = 0
        while self.state != PROVING:
            await asyncio.sleep(max(0.0, self._began_s + second + 1 - self._now_s()))
            cpu, size = (None, None) if self._usage is None else self._usage.look(self._now_s())
            self.server_cpu = cpu
            gauges = Gauges(self.connected, self.busiest, cpu, size, self._machine.look())
            self.timeline.sample(second, gauges)
            second += 1


async def _say(hand: _Hand, words: bytes) -> None:
    """Tell a process something; that one is gone is heard where it is read."""
    pipe = hand.process.stdin
    with contextlib.suppress(ConnectionError):
        if pipe is not None and not pipe.is_closing():  # uvloop's raises RuntimeError then
            pipe.write(words + b"\n")
            await pipe.drain()
