"""Gaps, merged frames, growth, unknown events and snapshots, told over a line."""

import asyncio

import pytest
from tesserae_client import BoardReplaced, PixelsChanged
from tesserae_client.board import Board
from tesserae_client.snapshot import SnapshotHead

from tests.support.fake_server import GAME, FakeGame, soon
from tests.support.playing import table


@pytest.fixture(params=["binary", "json"])
def codec(request):
    return request.param


async def test_c3_pixels_that_land_while_a_snapshot_is_in_flight(codec):
    """What the snapshot holds already is told again; only what is after it counts."""
    async with table(FakeGame(31, 33), codec=codec, joined=False) as seat:
        for n in range(50):
            seat.game.place(n % 31, n % 33, n % 16)
        peer = await seat.server.line()
        await peer.join()
        for n in range(100):
            seat.game.place(n % 31, n % 5, n % 16)
        await peer.pixels(41, 60)
        await peer.pixels(61, 150)
        await soon(seat.client.ready())
        assert await seat.in_step(peer)


async def test_old_frames_are_ignored_and_overlapping_ones_applied(codec):
    async with table(codec=codec) as seat:
        for color in range(6):
            seat.game.place(0, 0, color)
        await seat.peer.pixels(1, 4)
        await seat.peer.pixels(1, 2)
        await seat.peer.pixels(3, 6)
        assert await seat.in_step(seat.peer)
        spans = [(e.first, e.last) for e in seat.heard if isinstance(e, PixelsChanged)]
        assert spans == [(1, 4), (5, 6)]


async def test_a_gap_is_resynced_once_and_closed(codec):
    async with table(codec=codec) as seat:
        for n in range(6):
            seat.game.place(n, 0, n)
        await seat.peer.pixels(1, 1)
        await seat.peer.pixels(3, 3)
        await seat.peer.pixels(4, 4)
        asked = await seat.peer.expect("resync")
        assert asked["since"] == {"epoch": "e1", "seq": 1}
        await seat.peer.reply(asked, **seat.game.state("events"))
        await seat.peer.pixels(2, 6)
        assert await seat.in_step(seat.peer)  # and the next command was this, no second resync


async def test_a_resync_without_credits_is_repeated_later():
    async with table() as seat:
        seat.game.place(0, 0, 1)
        await seat.peer.place(1, 0, 1)
        await seat.peer.refuse(await seat.peer.expect("resync"), "rate", retryAfterMs=1)
        asked = await seat.peer.expect("resync")
        await seat.peer.reply(asked, **seat.game.state("events"))
        await seat.peer.pixels(1, 2)
        assert await seat.in_step(seat.peer)


async def test_growth_then_pixels_in_the_new_frame(codec):
    async with table(codec=codec) as seat:
        await seat.peer.place(0, 0, 3)
        event = seat.game.grow_left(5)
        await seat.peer.send(**event)
        await seat.peer.place(11, 2, 4)
        assert await seat.in_step(seat.peer)
        assert seat.client.board[5, 0] == 3
        assert seat.client.generation == 1
        state = seat.client.game_state
        assert state is not None
        assert (state.width, state.offset_x) == (12, 5)
        placing = asyncio.create_task(seat.client.place(11, 0, 1))
        assert (await seat.peer.receive())["generation"] == 1
        placing.cancel()


async def test_an_event_that_nobody_knows_asks_for_the_board():
    async with table() as seat:
        seat.game.place(2, 2, 2)
        await seat.peer.send("lightning", game=GAME, seq=1)
        asked = await seat.peer.expect("resync")
        assert "since" not in asked
        await seat.peer.reply(asked, **seat.game.state("snapshot"))
        await seat.peer.snapshot()
        assert await seat.in_step(seat.peer)
        assert sum(isinstance(e, BoardReplaced) for e in seat.heard) == 2


async def test_an_imported_picture_asks_for_the_board_once(codec):
    async with table(codec=codec) as seat:
        await seat.peer.place(2, 2, 2)
        seat.game.place(0, 0, 9)  # what the picture does here
        await seat.peer.send("base", game=GAME, seq=2, generation=0)
        await seat.peer.place(1, 1, 3)
        asked = await seat.peer.expect("resync")
        assert "since" not in asked
        await seat.peer.place(1, 2, 4)
        await seat.peer.reply(asked, **seat.game.state("snapshot"))
        await seat.peer.snapshot()
        await seat.peer.place(6, 2, 5)
        assert await seat.in_step(seat.peer)
        assert seat.client.board[0, 0] == 9
        assert sum(isinstance(e, BoardReplaced) for e in seat.heard) == 2


async def test_what_is_numbered_otherwise_is_left_alone():
    async with table() as seat:
        await seat.peer.send("game", game=GAME, seq=99)
        await seat.peer.send("pixels", game="place#other", first=1, last=1, pixels=[])
        await seat.peer.send("notice", text="hello", level="info")
        assert await seat.in_step(seat.peer)
        assert any(getattr(e, "event", "") == "notice" for e in seat.heard)


async def test_c6_a_failed_fetch_is_repeated_and_nothing_that_came_meanwhile_is_lost():
    served = FakeGame()
    attempts = []
    may_answer = asyncio.Event()

    async def fetch(url):
        attempts.append(url)
        if len(attempts) < 3:
            raise OSError("the network is away")
        await may_answer.wait()
        head = SnapshotHead("e1", 1, 0, 7, 3, 0, None)
        return head, Board.from_packed(7, 3, served.packed()).packed()

    async with table(snapshot="http", fetch=fetch, joined=False) as seat:
        seat.game.place(0, 0, 1)
        served.place(0, 0, 1)
        peer = await seat.server.line()
        await peer.hello()
        subscribe = await peer.expect("subscribe")
        assert subscribe["games"][0]["snapshot"] == "http"
        you = {"id": "g_1", "name": "Guest", "roles": [], "anonymous": False}
        await peer.reply(subscribe, you=you, games=[seat.game.state("snapshot")])
        await peer.snapshot_head(url="/api/games/place%23main/canvas.bin")
        await peer.place(1, 0, 2)
        await peer.send(**seat.game.grow_left(2))
        await peer.place(8, 2, 5)
        limits = asyncio.create_task(seat.client.limits())
        await peer.reply(await peer.expect("limits"))
        await soon(limits)
        may_answer.set()
        await soon(seat.client.ready())
        assert await seat.in_step(peer)
        assert len(attempts) == 3
        assert len(seat.slept) == 2
        assert attempts[0].endswith("/api/games/place%23main/canvas.bin")
        assert attempts[0].startswith("http://127.0.0.1:")
