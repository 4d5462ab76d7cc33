"""One client of the load test at a scripted server: joining, holes, cuts, refusals, bad frames."""

import asyncio
import time
from collections import Counter
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from random import Random
from typing import Any

import pytest

from bots.load.follower import Follower
from bots.load.line import Address, Unopened, open_line
from bots.load.member import Member
from bots.load.patterns import cells
from bots.load.placer import Placer
from bots.load.plan import Window
from bots.load.shared import Shared
from bots.load.tally import Tally
from tests.support.fake_server import GAME, FakeServer, Peer, soon
from tests.support.sockets import until


class Table:
    """A scripted server, and one member that sits at it."""

    def __init__(
        self,
        server: FakeServer,
        *,
        places: bool,
        proves: bool,
        rate: float | None,
        stop_s: float | None,
    ) -> None:
        began_s = time.monotonic()
        self.server = server
        self.tally = Tally(lambda: time.monotonic() - began_s)
        self.shared = Shared(GAME, self.tally)
        self.over = asyncio.Event()
        self.follower = (
            Placer(self.shared, Random(1), proves=proves, token=None, rate_at=lambda _: rate)
            if places
            else Follower(self.shared, Random(1), proves=proves)
        )
        if isinstance(self.follower, Placer):
            self.follower.cells = cells("random", Random(2), self.follower)
        windows = (Window(start_s=0.0, stop_s=stop_s),)
        self.member = Member(self.follower, Address.of(server.url), windows, 0.0, self.over)
        self.peer: Peer

    def count(self, name: str) -> int:
        return sum(slot.counts[name] for slot in self.tally._slots.values())


@asynccontextmanager
async def table(
    *,
    joined: bool = True,
    places: bool = False,
    proves: bool = False,
    rate: float | None = None,
    stop_s: float | None = None,
) -> AsyncIterator[Table]:
    async with FakeServer() as server:
        seated = Table(server, places=places, proves=proves, rate=rate, stop_s=stop_s)
        playing = asyncio.create_task(seated.member.run())
        try:
            seated.peer = await server.line()
            if joined:
                await seated.peer.join("snapshot")
                await until(lambda: seated.follower.sync.synced)
            yield seated
        finally:
            seated.over.set()
            seated.member.leave()
            await soon(playing)


async def test_it_follows_and_counts_what_it_is_told() -> None:
    async with table() as seated:
        for cell in range(3):
            await seated.peer.place(cell, 0, 1)
        await until(lambda: seated.follower.sync.seq == seated.server.game.seq)
        assert seated.count("delivered") == 3
        assert seated.count("snapshots") == 1
        assert seated.tally.connected == 1
        assert seated.follower.sync.board is None


async def test_what_was_published_before_it_joined_is_no_delivery() -> None:
    async with table(joined=False) as seated:
        game = seated.server.game
        await seated.peer.hello()
        await seated.peer.admit(await seated.peer.expect("subscribe"), seq=3)  # the snapshot has 0
        cells = [(cell, 0, 1) for cell in range(6)]
        for cell in cells:
            game.place(*cell)
        await seated.peer.frame(1, 4, cells[:4], conflated=True)
        await until(lambda: seated.follower.sync.seq == 4)
        assert (seated.count("delivered"), seated.count("catch-ups")) == (1, 0)
        await seated.peer.frame(5, 6, cells[4:], conflated=True)
        await until(lambda: seated.follower.sync.seq == 6)
        assert (seated.count("delivered"), seated.count("catch-ups")) == (3, 1)


async def test_who_proves_keeps_a_board() -> None:
    async with table(proves=True) as seated:
        await seated.peer.place(2, 1, 5)
        await until(lambda: seated.follower.sync.seq == seated.server.game.seq)
        proof = asyncio.create_task(seated.follower.prove())
        await seated.peer.checksum(await seated.peer.expect("checksum"))
        assert await soon(proof)


async def test_a_board_that_differs_is_not_proven() -> None:
    async with table(proves=True) as seated:
        proof = asyncio.create_task(seated.follower.prove())
        seated.server.game.place(0, 0, 3)
        seated.server.game.seq -= 1
        await seated.peer.checksum(await seated.peer.expect("checksum"))
        assert not await soon(proof)


async def test_a_proof_waits_for_credits() -> None:
    async with table(proves=True) as seated:
        proof = asyncio.create_task(seated.follower.prove())
        command = await seated.peer.expect("checksum")
        await seated.peer.refuse(command, "rate", retryAfterMs=1)
        await seated.peer.checksum(await seated.peer.expect("checksum"))
        assert await soon(proof)


async def test_a_hole_is_counted_and_asked_for() -> None:
    async with table() as seated:
        game = seated.server.game
        game.place(0, 0, 1)
        game.place(1, 0, 1)
        await seated.peer.pixels(game.seq, game.seq)
        command = await seated.peer.expect("resync")
        assert command["since"]["seq"] == game.seq - 2
        assert seated.count("holes") == 1
        await seated.peer.reply(command, **game.state("events"))
        await seated.peer.pixels(game.seq - 1, game.seq)
        await until(lambda: seated.follower.sync.seq == game.seq)


async def test_after_a_cut_it_resumes_where_it_was() -> None:
    async with table() as seated:
        seq = seated.follower.sync.seq
        seated.peer.cut()
        peer = await seated.server.next_line()
        command = await peer.join("current")
        assert command["games"][0]["since"]["seq"] == seq
        await until(lambda: seated.tally.connected == 1)
        assert seated.count("cuts") == 1


async def test_it_does_not_come_back_where_it_must_not() -> None:
    async with table() as seated:
        await seated.peer.goodbye(4405)
        await until(lambda: bool(seated.tally.failures))
        assert dict(seated.tally.failures) == {"because of 4405": 1}
        assert seated.tally.connected == 0


@pytest.mark.parametrize(
    ("code", "fields", "told"),
    [
        ("forbidden", {"message": "no guests"}, "forbidden: no guests (let guests in"),
        (
            "rate",
            {"scope": "guests-per-address", "retryAfterMs": 3_600_000, "message": "too many"},
            "guests-per-address: too many (start the server with --guests-per-address 0",
        ),
    ],
)
async def test_who_is_not_let_in_says_what_helps(
    code: str, fields: dict[str, Any], told: str
) -> None:
    async with table(joined=False, places=True) as seated:
        await seated.peer.hello()
        fields = {"message": "", **fields}
        await seated.peer.refuse(await seated.peer.expect("subscribe"), code, **fields)
        await until(lambda: bool(seated.tally.trouble))
        assert seated.tally.trouble.startswith(told)


async def test_a_placement_is_timed_from_its_send_to_its_ack() -> None:
    async with table(places=True, rate=50.0) as seated:
        command = await seated.peer.expect("place frame")
        (cell,) = command["cells"]
        seq = await seated.peer.place(*cell)
        await seated.peer.ack(command, seq, cell)
        await until(lambda: seated.count("accepted") == 1)
        assert seated.count("sent") >= 1
        (delays_s,) = [found for _, found in seated.shared.deliveries.settled(1e9)]
        assert delays_s.size == 1


async def test_what_a_cut_left_open_is_sent_again_under_its_number() -> None:
    async with table(places=True) as seated:
        command = await seated.peer.expect("place frame")
        seated.peer.cut()
        peer = await seated.server.next_line()
        await peer.join("current")
        assert await peer.expect("place frame") == command
        await peer.ack(command, 1, command["cells"][0], status=1, left_ms=60_000)
        await until(lambda: _refused(seated) == {"cooldown": 1})


async def test_who_leaves_takes_the_answers_that_are_under_way() -> None:
    async with table(places=True, rate=20.0, stop_s=0.6) as seated:
        placer = seated.follower
        assert isinstance(placer, Placer)
        await until(lambda: placer._paused)
        sent = seated.count("sent")
        assert placer.unanswered == sent > 0
        for _ in range(sent):
            command = await seated.peer.expect("place frame")
            seq = await seated.peer.place(*command["cells"][0])
            await seated.peer.ack(command, seq, command["cells"][0])
        await until(lambda: placer.line is None)
        assert seated.count("accepted") == seated.count("sent") == sent
        assert seated.count("cuts") == 0


def _refused(seated: Table) -> dict[str, int]:
    refused: Counter[str] = Counter()
    for slot in seated.tally._slots.values():
        refused.update(slot.refused)
    return refused


@pytest.mark.parametrize("junk", [b"\x01", b"\x11" + bytes(5), b"\x02"])
async def test_a_bad_frame_ends_the_line_and_not_the_client(junk: bytes) -> None:
    async with table(proves=True, places=True) as seated:
        await seated.peer.socket.send(junk)
        await seated.server.next_line()
        assert "does not keep to the protocol" in seated.tally.trouble


@pytest.mark.parametrize(
    ("answer", "told"),
    [
        (b"HTTP/1.1 429 Slow\r\nRetry-After: 7\r\n\r\n", "HTTP 429"),
        (b"HTTP/1.1 101 Yes\r\nSec-WebSocket-Accept: no\r\n\r\n", "Sec-WebSocket-Accept"),
        (b"220 mail.example ESMTP\r\n\r\n", "no HTTP answer"),
        (b"x" * 20_000, "endless answer"),
        (b"", "hung up"),
    ],
)
async def test_a_line_that_does_not_open_says_why(answer: bytes, told: str) -> None:
    async def answered(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.readuntil(b"\r\n\r\n")
        writer.write(answer)
        await writer.drain()
        writer.close()

    server = await asyncio.start_server(answered, "127.0.0.1", 0)
    async with server:
        port = server.sockets[0].getsockname()[1]
        follower = Follower(Shared(GAME, Tally(lambda: 0.0)), Random(1), proves=False)
        with pytest.raises(Unopened, match=told):
            await open_line(follower, Address.of(f"ws://127.0.0.1:{port}/ws"))
