"""A crowd of witnesses on one server, and the audit of all that they were told.

What happens to the server meanwhile is the test's; `Account.complaints` is empty when nothing was
lost. Used by the kill test, its bench, and the tests of bad days on AWS.
"""

import asyncio
import zlib
from collections import Counter
from collections.abc import AsyncIterator, Awaitable
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, field

from aiohttp import ClientSession
from yarl import URL

from tests.support.ledger import Ledger
from tests.support.witness import SIDE, Witness

FLAGS = (
    *("--size", f"{SIDE}x{SIDE}", "--cooldown-ms", "500", "--log-level", "warning"),
    *("--guests-per-address", "0", "--max-connections-per-address", "0"),
    *("--snapshot-interval", "2", "--snapshot-pixels", "100", "--presence-debounce-ms", "200"),
)
PLAY_WITHIN_S = 300.0
PROGRESS_WITHIN_S = 60.0
AT_ONCE = 8
LOOK_EVERY_S = 0.05


@dataclass(slots=True)
class Account:
    """What came of it."""

    bots: int
    spectators: int
    kills: int = 0
    kills_while_starting: int = 0
    takings: int = 1
    """How often a server came to write; each has a fence of its own."""
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


class Crowd:
    """Bots that place and spectators that watch."""

    def __init__(self, url: str, bots: int, spectators: int) -> None:
        self.account = Account(bots, spectators)
        self.witnesses = [Witness(url, n, plays=n < bots) for n in range(bots + spectators)]

    async def play_during(self, story: Awaitable[None]) -> None:
        """Play until the story is over; the last placements are waited for."""
        over = asyncio.Event()
        async with asyncio.timeout(PLAY_WITHIN_S), asyncio.TaskGroup() as group:
            for witness in self.witnesses:
                group.create_task(witness.live(over))
            await story
            over.set()

    async def converge(self, port: int) -> None:
        """Compare every board with the server's: by checksum, and with what it serves by HTTP."""
        at_once = asyncio.Semaphore(AT_ONCE)

        async def agrees(witness: Witness) -> bool:
            async with at_once:
                return await witness.agrees()

        account = self.account
        agreed = await asyncio.gather(*(agrees(witness) for witness in self.witnesses))
        canvas = await fetch_canvas(port)
        for witness, agreeing in zip(self.witnesses, agreed, strict=True):
            mine = (witness.client.epoch, witness.client.seq, witness.client.board.crc32())
            if not agreeing or mine != canvas:
                account.complaints.append(f"{witness.name} has {mine}, the server {canvas}")
            account.agreeing += agreeing and mine == canvas
        _, account.seq, account.crc32 = canvas

    @property
    def acknowledged(self) -> int:
        return sum(len(witness.placed) for witness in self.witnesses)

    @property
    def seen(self) -> int:
        return sum(witness.seen_pixels for witness in self.witnesses)

    async def progress(self, placements: int) -> None:
        """Wait until so many more were acknowledged."""
        enough = self.acknowledged + placements
        async with asyncio.timeout(PROGRESS_WITHIN_S):
            while self.acknowledged < enough:  # noqa: ASYNC110 - a crowd tells nobody
                await asyncio.sleep(LOOK_EVERY_S)

    async def hears_nothing(self, seconds: float) -> bool:
        """Whether nothing is acknowledged or seen for so long."""
        await asyncio.sleep(LOOK_EVERY_S)  # for what is on its way to clients
        told = (self.acknowledged, self.seen)
        await asyncio.sleep(seconds)
        return told == (self.acknowledged, self.seen)

    def audit(self, ledger: Ledger) -> Account:
        """Hold everything that anyone was told against the stored history."""
        account = self.account
        for witness in self.witnesses:
            account.placed += len(witness.placed)
            account.refused += len(witness.not_placed)
            account.unknown += witness.unknown
            account.seen += witness.seen_pixels
            account.resumes += witness.resumes
            account.complaints += [*witness.complaints, *ledger.against(witness)]
        account.complaints += ledger.holes() + ledger.twice()
        account.complaints += ledger.stored_though_refused(self.witnesses)
        account.complaints += self._differences(ledger)
        account.presence_seq = ledger.presence_seq
        return account

    def _differences(self, ledger: Ledger) -> list[str]:
        account = self.account
        told = max(witness.presence_seq for witness in self.witnesses)
        epochs = set().union(*(witness.epochs for witness in self.witnesses))
        wrong = {
            "the history is not as long as the server said": ledger.seq != account.seq,
            "the history leads to another board": (
                ledger.crc32_of_replay(SIDE, SIDE) != account.crc32
            ),
            "the epoch has changed": {ledger.epoch} != epochs,
            "a presence number was told that is not stored": told > ledger.presence_seq,
            "a start has not taken a fence of its own": ledger.fence < account.takings,
        }
        return [complaint for complaint, is_so in wrong.items() if is_so]


@asynccontextmanager
async def gathered(url: str, bots: int, spectators: int) -> AsyncIterator[Crowd]:
    """Let a crowd dial, and leave at the end of the block."""
    crowd = Crowd(url, bots, spectators)
    async with AsyncExitStack() as clients:
        for witness in crowd.witnesses:
            await clients.enter_async_context(witness.client)
        yield crowd


async def fetch_canvas(port: int) -> tuple[str, int, int]:
    """Epoch, seq and checksum of what a server serves by HTTP."""
    url = URL(f"http://127.0.0.1:{port}/api/games/place%23main/canvas.bin", encoded=True)
    async with ClientSession() as session, session.get(url) as answer:
        packed = await answer.read()
        headers = answer.headers
    return headers["Tesserae-Epoch"], int(headers["Tesserae-Seq"]), zlib.crc32(packed)
