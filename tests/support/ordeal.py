"""The kill test: a crowd plays while its server is killed again and again, then all is audited.

Used by the test, which wants no complaint, and by the bench, which wants the figures.
"""

import asyncio
import time
import zlib
from collections import Counter
from contextlib import AsyncExitStack
from dataclasses import dataclass, field
from pathlib import Path
from random import Random

from aiohttp import ClientSession
from yarl import URL

from tests.support.ledger import Ledger, read_ledger
from tests.support.processes import ServerProcess
from tests.support.witness import SIDE, Witness

FLAGS = (
    *("--size", f"{SIDE}x{SIDE}", "--cooldown-ms", "500", "--log-level", "warning"),
    *("--guests-per-address", "0", "--max-connections-per-address", "0"),
    *("--snapshot-interval", "2", "--snapshot-pixels", "100", "--presence-debounce-ms", "200"),
)
WINDOW_S = (0.3, 4.0)
"""Between the moment when placements are taken and the kill."""
START_WINDOW_S = (0.2, 1.5)
"""Between the launch of a process and its kill, when it dies before it is ready."""
DIES_STARTING = 5
"""Every so many kills one finds the server still starting."""
PLAY_WITHIN_S = 240.0
SETTLE_WITHIN_S = 60.0
AT_ONCE = 8


@dataclass(slots=True)
class Account:
    """What came of it; `complaints` is empty when nothing was lost."""

    bots: int
    spectators: int
    kills: int
    kills_while_starting: int = 0
    placed: int = 0
    refused: int = 0
    unknown: int = 0
    seen: int = 0
    seq: int = 0
    crc32: int = 0
    resumes: Counter[str] = field(default_factory=Counter)
    agreeing: int = 0
    presence_seq: int = 0
    seconds: float = 0.0
    complaints: list[str] = field(default_factory=list)

    @property
    def kills_while_ready(self) -> int:
        return self.kills - self.kills_while_starting

    def __str__(self) -> str:
        resumes = ", ".join(f"{count} by {how}" for how, count in self.resumes.most_common())
        return (
            f"{self.kills} kills ({self.kills_while_starting} while starting) under {self.bots}"
            f" bots and {self.spectators} spectators in {self.seconds:.0f} s: {self.placed}"
            f" placements acknowledged, {self.refused} refused, {self.unknown} unknown at a cut and"
            f" settled, {self.seen} pixels seen, history at {self.seq}; resumed {resumes};"
            f" {self.agreeing} boards equal; presence at {self.presence_seq};"
            f" {len(self.complaints)} complaints"
        )


async def ordeal(data: Path, *, kills: int, bots: int, spectators: int, seed: int) -> Account:
    """Play, kill, start again, stop, and compare everything with everything."""
    account = Account(bots, spectators, kills)
    began_s = time.monotonic()
    server = ServerProcess(data, *FLAGS)
    await server.start()
    try:
        crowd = [Witness(server.url, n, plays=n < bots) for n in range(bots + spectators)]
        async with AsyncExitStack() as clients:
            for witness in crowd:
                await clients.enter_async_context(witness.client)
            await _play(server, crowd, Random(seed), account)
            await _converge(server, crowd, account)
    finally:
        code = await server.stop()
    if code != 0:
        account.complaints.append(f"the server ended with {code}")
    _audit(await read_ledger(data), crowd, account)
    account.seconds = time.monotonic() - began_s
    return account


async def _play(
    server: ServerProcess, crowd: list[Witness], chance: Random, account: Account
) -> None:
    over = asyncio.Event()
    async with asyncio.timeout(PLAY_WITHIN_S + SETTLE_WITHIN_S), asyncio.TaskGroup() as group:
        for witness in crowd:
            group.create_task(witness.live(over))
        early = [number % DIES_STARTING == 1 for number in range(account.kills)]
        for starting, next_starting in zip(early, [*early[1:], False], strict=True):
            await _kill(server, chance, account, starting=starting)
            if not next_starting:
                await server.ready()
        over.set()


async def _kill(server: ServerProcess, chance: Random, account: Account, *, starting: bool) -> None:
    """Kill it at random and launch it again; `starting`: before it takes placements."""
    account.kills_while_starting += starting
    await asyncio.sleep(chance.uniform(*(START_WINDOW_S if starting else WINDOW_S)))
    await server.kill()
    await server.launch()


async def _converge(server: ServerProcess, crowd: list[Witness], account: Account) -> None:
    """Compare every board with the server's: by its checksum, and with what it serves by HTTP."""
    at_once = asyncio.Semaphore(AT_ONCE)

    async def agrees(witness: Witness) -> bool:
        async with at_once:
            return await witness.agrees()

    agreed = await asyncio.gather(*(agrees(witness) for witness in crowd))
    canvas = await _fetch_canvas(server.port)
    for witness, agreeing in zip(crowd, agreed, strict=True):
        mine = (witness.client.epoch, witness.client.seq, witness.client.board.crc32())
        if not agreeing or mine != canvas:
            account.complaints.append(f"{witness.name} has {mine}, the server {canvas}")
        account.agreeing += agreeing and mine == canvas
    _, account.seq, account.crc32 = canvas


async def _fetch_canvas(port: int) -> tuple[str, int, int]:
    url = URL(f"http://127.0.0.1:{port}/api/games/place%23main/canvas.bin", encoded=True)
    async with ClientSession() as session, session.get(url) as answer:
        packed = await answer.read()
        headers = answer.headers
    return headers["Tesserae-Epoch"], int(headers["Tesserae-Seq"]), zlib.crc32(packed)


def _audit(ledger: Ledger, crowd: list[Witness], account: Account) -> None:
    """Hold everything that anyone was told against the stored history."""
    for witness in crowd:
        account.placed += len(witness.placed)
        account.refused += len(witness.not_placed)
        account.unknown += witness.unknown
        account.seen += witness.seen_pixels
        account.resumes += witness.resumes
        account.complaints += [*witness.complaints, *ledger.against(witness)]
    account.complaints += ledger.holes() + ledger.twice() + ledger.stored_though_refused(crowd)
    account.complaints += _differences(ledger, crowd, account)
    account.presence_seq = ledger.presence_seq


def _differences(ledger: Ledger, crowd: list[Witness], account: Account) -> list[str]:
    told = max(witness.presence_seq for witness in crowd)
    wrong = {
        "the history is not as long as the server said": ledger.seq != account.seq,
        "the history leads to another board": ledger.crc32_of_replay(SIDE, SIDE) != account.crc32,
        "the epoch has changed": {ledger.epoch} != set().union(*(w.epochs for w in crowd)),
        "a presence number was told that is not stored": told > ledger.presence_seq,
        "a start has not taken a fence of its own": ledger.fence <= account.kills_while_ready,
    }
    return [complaint for complaint, is_so in wrong.items() if is_so]
