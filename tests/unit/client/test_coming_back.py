"""Cuts, resumes and unknown placements: what the client does when its line goes away."""

import asyncio
from random import Random

import pytest
from tesserae_client import (
    Banned,
    Client,
    ClosedByOperator,
    Disconnected,
    HandshakeRefused,
    Lost,
    Placed,
    PlacementUnknown,
    ProtocolRefused,
    Stopped,
    Told,
    Unauthorized,
    Unknown,
    UnknownGame,
    Unreachable,
)

from tests.support.fake_server import GUEST_TOKEN, FakeGame, FakeServer, soon
from tests.support.playing import table


@pytest.mark.parametrize("codec", ["binary", "json"])
async def test_c1_a_cut_under_load_is_resumed_with_events_alone(codec):
    async with table(codec=codec) as seat:
        for n in range(5):
            await seat.peer.place(n, 0, n)
        assert await seat.in_step(seat.peer)
        seat.peer.cut()
        for n in range(100):
            seat.game.place(n % 7, 1, n % 16)
        peer = await seat.server.line()
        subscribe = await peer.join("events")
        assert subscribe["token"] == GUEST_TOKEN
        assert subscribe["games"][0]["since"] == {"epoch": "e1", "seq": 5}
        await peer.pixels(6, 105)
        await soon(seat.client.ready())
        assert await seat.in_step(peer)


async def test_a_resume_that_is_current_needs_nothing_more():
    async with table() as seat:
        seat.peer.cut()
        peer = await seat.server.line()
        await peer.join("current")
        await soon(seat.client.ready())
        assert await seat.in_step(peer)


async def test_ready_waits_until_the_catch_up_is_here():
    async with table() as seat:
        seat.peer.cut()
        seat.game.place(1, 1, 1)
        seat.game.place(2, 1, 1)
        peer = await seat.server.line()
        await peer.join("events")
        await peer.pixels(1, 1)
        limits = asyncio.create_task(seat.client.limits())
        await peer.reply(await peer.expect("limits"))
        await soon(limits)
        ready = asyncio.create_task(seat.client.ready())
        await peer.pixels(2, 2)
        await soon(ready)
        assert seat.client.seq == 2


async def test_a_new_epoch_replaces_the_board():
    async with table() as seat:
        await seat.peer.place(1, 1, 1)
        assert await seat.in_step(seat.peer)
        seat.peer.cut()
        seat.server.game = FakeGame(epoch="e2")  # history was replaced
        peer = await seat.server.line()
        await peer.join()
        await soon(seat.client.ready())
        assert (seat.client.epoch, seat.client.seq) == ("e2", 0)
        assert await seat.in_step(peer)


@pytest.mark.parametrize("codec", ["binary", "json"])
async def test_c4_c69_an_unanswered_placement_is_unknown_then_settled(codec):
    async with table(codec=codec) as seat:
        placing = asyncio.create_task(seat.client.place(1, 2, 3))
        asked = await seat.peer.receive()
        seat.peer.cut()
        peer = await seat.server.line()
        await peer.join("current")
        again = await peer.receive()
        assert [e.placement.x for e in seat.heard if isinstance(e, PlacementUnknown)] == [1]
        assert again["request"] == asked["request"]
        assert not placing.done()
        seq = await peer.place(1, 2, 3)
        await peer.ack(again, seq, (1, 2, 3))
        placed = await soon(placing)
        assert isinstance(placed, Placed)
        assert (placed.request, placed.seq) == (asked["request"], seq)


async def test_records_answered_before_the_cut_are_not_placed_again():
    async with table() as seat:
        placing = asyncio.create_task(seat.client.place_many([(0, 0, 1), (1, 0, 2)]))
        asked = await seat.peer.receive()
        await seat.peer.ack(asked, 0, (0, 0, 15), status=1)
        limits = asyncio.create_task(seat.client.limits())
        await seat.peer.reply(await seat.peer.expect("limits"))
        await soon(limits)
        seat.peer.cut()
        peer = await seat.server.line()
        await peer.join("current")
        again = await peer.receive()
        assert again["request"] == asked["request"]
        assert again["cells"] == [(8191, 8191, 0), (1, 0, 2)]
        await peer.ack(again, 1, (1, 0, 2), index=1)
        assert isinstance((await soon(placing))[1], Placed)


async def test_without_settling_a_cut_leaves_it_unknown():
    async with table(settle=False) as seat:
        placing = asyncio.create_task(seat.client.place(1, 2, 3))
        asked = await seat.peer.receive()
        seat.peer.cut()
        assert await soon(placing) == Unknown(1, 2, 3, request=asked["request"])
        peer = await seat.server.line()
        await peer.join("current")
        assert await seat.in_step(peer)  # the next thing it sends: nothing was sent again


async def test_another_identity_settles_nothing():
    async with table() as seat:
        placing = asyncio.create_task(seat.client.place(1, 2, 3))
        await seat.peer.receive()
        seat.peer.cut()
        peer = await seat.server.line()
        await peer.hello()
        subscribe = await peer.expect("subscribe")
        you = {"id": "g_2", "name": "Other", "roles": [], "anonymous": False}
        await peer.reply(subscribe, you=you, games=[seat.game.state("current")])
        assert isinstance(await soon(placing), Unknown)


async def test_a_command_at_the_cut_fails_and_says_so():
    async with table() as seat:
        limits = asyncio.create_task(seat.client.limits())
        await seat.peer.expect("limits")
        seat.peer.cut()
        with pytest.raises(Disconnected, match="ask again"):
            await soon(limits)


async def test_a_cut_inside_a_snapshot_starts_it_anew():
    async with table(joined=False) as seat:
        seat.game.place(3, 2, 1)
        peer = await seat.server.line()
        await peer.hello()
        subscribe = await peer.expect("subscribe")
        you = {"id": "g_1", "name": "Guest", "roles": [], "anonymous": False}
        await peer.reply(subscribe, you=you, games=[seat.game.state("snapshot")])
        await peer.snapshot_head(bands=2)
        await peer.band(0, 2)
        await peer.goodbye(4102, retryAfterMs=10)
        peer = await seat.server.line()
        subscribe = await peer.join()
        assert "since" not in subscribe["games"][0]
        await soon(seat.client.ready())
        assert await seat.in_step(peer)


async def test_the_delay_that_the_server_asks_for_is_kept():
    async with table() as seat:
        await seat.peer.send("going", retryAfterMs=3000, reason="restart")
        await seat.peer.socket.close(1012)
        peer = await seat.server.line()
        assert 3.0 <= seat.slept[-1] <= 3.25
        await peer.send("starting", retryAfterMs=700)
        await peer.socket.close(4101)
        peer = await seat.server.line()
        assert 0.7 <= seat.slept[-1] <= 1.2
        await peer.join("current")
        await soon(seat.client.ready())
        assert [e.code for e in seat.heard if isinstance(e, Lost)] == [1012, 4101]


async def test_a_full_server_and_a_busy_door_are_tried_again():
    async with FakeServer() as server:
        server.refusals = [(429, {"Retry-After": "2"}), (503, {})]
        slept = []

        async def sleep(delay_s):
            slept.append(delay_s)
            await asyncio.sleep(0)

        async with Client(server.url, rng=Random(2), sleep=sleep) as client:
            await (await server.line()).join()
            await soon(client.ready())
        assert len(slept) == 2
        assert 2.0 <= slept[0] <= 2.25


async def test_c7_clients_that_are_refused_at_once_come_back_spread_out():
    """Forty clients here; the server refuses each with the same delay."""
    firsts = []
    all_wait = asyncio.Event()

    async def sleep(delay_s):
        firsts.append(delay_s)
        if len(firsts) == 40:
            all_wait.set()
        await asyncio.Event().wait()

    async with FakeServer() as server:
        clients = [Client(server.url, rng=Random(n), sleep=sleep) for n in range(40)]
        for client in clients:
            await client.__aenter__()
        for _ in clients:
            await (await server.line()).goodbye(4103, retryAfterMs=1000)
        await soon(all_wait.wait())
        for client in clients:
            await client.close()
    assert min(firsts) >= 1.0
    assert max(firsts) <= 1.25
    assert len({round(delay, 3) for delay in firsts}) > 30


@pytest.mark.parametrize(
    ("code", "error"),
    [
        (4401, Unauthorized),
        (4403, Banned),
        (4404, ProtocolRefused),
        (4405, ClosedByOperator),
        (4499, Stopped),
    ],
)
async def test_44xx_stops_the_client_with_the_reason(code, error):
    async with table() as seat:
        placing = asyncio.create_task(seat.client.place(1, 1, 1))
        await seat.peer.receive()
        await seat.peer.goodbye(code)
        assert isinstance(await soon(placing), Unknown)
        with pytest.raises(error, match=f"because of {code}"):
            await soon(seat.client.ready())
        with pytest.raises(error):
            await seat.client.place(1, 1, 1)
        assert seat.slept == []


async def test_a_refused_token_stops_even_when_the_close_never_comes():
    async with table(joined=False, token="worn out") as seat:
        peer = await seat.server.line()
        await peer.hello()
        subscribe = await peer.expect("subscribe")
        assert subscribe["token"] == "worn out"
        await peer.refuse(subscribe, "unauthorized")
        with pytest.raises(Unauthorized, match="get a new token"):
            await soon(seat.client.ready())


async def test_a_game_that_is_not_there_stops():
    async with table(joined=False, game="place#other") as seat:
        peer = await seat.server.line()
        await peer.hello()
        you = {"id": None, "anonymous": True}
        games = [{"game": "place#other", "error": {"code": "unknown-game", "message": "no"}}]
        subscribe = await peer.expect("subscribe")
        assert [asked["game"] for asked in subscribe["games"]] == ["place#other"]
        await peer.reply(subscribe, you=you, games=games)
        with pytest.raises(UnknownGame, match="place#other"):
            await soon(seat.client.ready())


async def test_too_many_guests_is_tried_again_later():
    async with table(joined=False) as seat:
        peer = await seat.server.line()
        await peer.hello()
        await peer.refuse(await peer.expect("subscribe"), "rate", retryAfterMs=5000)
        await (await seat.server.line()).join()
        await soon(seat.client.ready())
        assert 5.0 <= seat.slept[0] <= 5.25


@pytest.mark.parametrize("status", [400, 403, 404])
async def test_a_refused_upgrade_stops(status):
    async with FakeServer() as server:
        server.refusals = [(status, {})]
        async with Client(server.url) as client:
            with pytest.raises(HandshakeRefused, match=f"HTTP {status}: refused"):
                await soon(client.ready())


async def test_a_server_that_is_not_there_can_be_given_up():
    async with FakeServer() as server:
        url = server.url

    async def sleep(_delay_s):
        await asyncio.sleep(0)

    async with Client(url, give_up_after=3, sleep=sleep) as client:
        with pytest.raises(Unreachable, match="3 attempts"):
            await soon(client.ready())


async def test_an_address_that_is_none_stops():
    async with Client("127.0.0.1/ws") as client:
        with pytest.raises(HandshakeRefused):
            await soon(client.ready())


async def test_c4_a_dead_line_is_dropped_and_opened_anew():
    """The server falls silent without closing; it had promised a ping every 10 ms."""
    async with table(joined=False) as seat:
        peer = await seat.server.line()
        await peer.hello(ping_ms=10)
        await peer.admit(await peer.expect("subscribe"))
        peer = await seat.server.line()
        assert any(isinstance(e, Lost) and "dead" in e.reason for e in seat.heard)
        await peer.join("current")
        await soon(seat.client.ready())


async def test_bytes_that_are_no_frame_cost_the_server_the_line():
    async with table() as seat:
        await seat.peer.socket.send(b"\x01 what")
        peer = await seat.server.line()
        assert any(
            isinstance(e, Lost) and "a pixels frame of 6 bytes" in e.reason for e in seat.heard
        )
        await peer.join("current")
        await soon(seat.client.ready())


async def test_events_end_with_the_reason():
    async with table() as seat:
        events = seat.client.events()
        await seat.peer.goodbye(4403)
        told = []

        async def listen():
            async for event in events:
                told.append(event)  # noqa: PERF401 - kept even when the iterator raises

        with pytest.raises(Banned):
            await soon(listen())
        assert isinstance(told[-1], Told)
        assert told[-1].fields["code"] == 4403
