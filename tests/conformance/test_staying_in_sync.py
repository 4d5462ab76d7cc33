"""C1-C3, C6, C9, C14, C17, C20, C63: who was away, or late, ends with the true board."""

import asyncio
import random
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import numpy as np
import pytest
from tesserae_client import Client, Connected, Placed, Refused
from tesserae_client.fetch import Canvas, fetch_canvas

from tests.support.foreign import BINARY, GAME, JSON, Foreign
from tests.support.relay import Relay, relaying
from tests.support.serving import BOARD, Serving, serving
from tests.support.sockets import until
from tests.support.wire import Ack

CODECS = [BINARY, JSON]


@asynccontextmanager
async def painting(room: Serving) -> AsyncIterator[Foreign]:
    """Somebody who places."""
    async with room.dial() as painter:
        await painter.play()
        yield painter


async def paint(painter: Foreign, count: int, seed: int = 1) -> None:
    """Place so many pixels anywhere on a board of 20 x 10, frame by frame."""
    chance = random.Random(seed)
    while count:
        cells = [
            (chance.randrange(20), chance.randrange(10), chance.randrange(16))
            for _ in range(min(64, count))
        ]
        assert all(ack.status == 0 for ack in await painter.put(*cells))
        count -= len(cells)


def position(client: Foreign) -> dict[str, Any]:
    return {"epoch": client.follower.epoch, "seq": client.follower.seq}


@pytest.mark.parametrize("codec", ["binary", "json"])
async def test_c1_a_cut_under_load_costs_far_less_than_a_board(codec: Any) -> None:
    back = asyncio.Event()

    async def sleep(_delay_s: float) -> None:
        await back.wait()

    async with (
        serving(size=(400, 400)) as room,
        relaying(room.port) as relay,
        painting(room) as painter,
        room.client(url=relay.url, codec=codec, sleep=sleep) as client,
    ):
        await client.ready()
        await paint(painter, 100)
        relay.cut()
        await until(lambda: not client.connected)
        await paint(painter, 100, seed=2)
        before = relay.to_client_bytes
        back.set()
        await until(lambda: client.connected and client.seq == 200)
        assert relay.to_client_bytes - before < 400 * 400 // 2 / 10
        assert await client.verify()
        assert client.board.packed() == await room.canvas()


@pytest.mark.parametrize("codec", CODECS)
async def test_c2_twice_a_catch_up_then_a_snapshot_never_silence(codec: str) -> None:
    async with serving(ring_events=1000) as room, painting(room) as painter:
        async with room.dial(codec) as client:
            await client.play()
        for away, resume in ((50, "events"), (900, "events"), (6000, "snapshot"), (0, "current")):
            await paint(painter, away, seed=away)
            async with room.dial(codec, follower=client.follower) as client:
                reply = await client.play(since=position(client))
                assert reply["games"][0]["resume"] == resume
                assert await client.in_step_by_checksum()


@pytest.mark.parametrize("since", [{"epoch": "other", "seq": 1}, {"seq": 1_000_000}])
async def test_c2_an_unknown_position_is_answered_with_a_snapshot(since: dict[str, Any]) -> None:
    async with serving() as room, room.dial() as client:
        where = {"epoch": room.game.epoch, **since}
        reply = await client.play(since=where)
        assert reply["games"][0]["resume"] == "snapshot"
        assert client.follower.snapshots == 1


async def test_c3_pixels_that_land_while_a_snapshot_is_in_flight() -> None:
    """The line stands still in the middle of the board while a hundred pixels are placed."""
    async with serving(size=(2000, 2000)) as room:
        scatter(room)
        async with painting(room) as painter, relaying(room.port) as relay:
            relay.stall()
            async with room.client(url=relay.url) as client:
                await until(lambda: relay.connections == 1)
                relay.flow()
                await until(lambda: relay.to_client_bytes > 50_000)
                relay.stall()
                await paint(painter, 100)
                relay.flow()
                await client.ready()
                await until(lambda: client.seq == 100)
                assert await client.verify()
                assert client.board.packed() == await room.canvas()


def scatter(room: Serving) -> None:
    """Fill the board with noise before anybody comes, so that its snapshot is large."""
    packed = room.game.replica.board.packed
    packed[:] = np.frombuffer(random.Random(5).randbytes(len(packed)), np.uint8)


async def test_c6_a_failed_fetch_is_repeated_and_nothing_meanwhile_is_lost() -> None:
    fetches: list[str] = []

    async def fetch(url: str) -> Canvas:
        fetches.append(url)
        await paint(painter, 100, seed=len(fetches))
        if len(fetches) < 3:
            raise OSError("the network is away")
        canvas = await fetch_canvas(url)
        await paint(painter, 100, seed=9)
        return canvas

    async def sleep(_delay_s: float) -> None:
        await asyncio.sleep(0)

    async with (
        serving() as room,
        painting(room) as painter,
        room.client(snapshot="http", fetch=fetch, sleep=sleep) as client,
    ):
        await client.ready()
        await until(lambda: client.seq == 400)
        assert len(fetches) == 3
        assert await client.verify()
        assert client.board.packed() == await room.canvas()


@pytest.mark.parametrize("codec", CODECS)
async def test_c9_the_new_size_is_told_before_any_pixel_outside_the_old_one(codec: str) -> None:
    async with serving() as room, room.dial(codec) as watcher, painting(room) as painter:
        await watcher.play()
        await painter.put((19, 9, 1))
        room.game.resize("right", 10)
        await painter.put((29, 9, 2), generation=1)
        await watcher.hear_until(lambda _: watcher.follower.seq == 3)
        board = watcher.follower.board
        assert board is not None
        assert (board.width, board.height, board.get(19, 9), board.get(29, 9)) == (30, 10, 1, 2)
        assert await watcher.in_step_by_checksum()


async def test_c14_a_pixel_is_found_where_growth_has_moved_it() -> None:
    async with serving() as room, room.dial() as client:
        await client.play(token=room.token("ann"))
        await client.place(10, 9, 4)
        before = await client.ask("pixel", game=GAME, x=10, y=9)
        room.game.resize("left", 100)
        await client.event("resize")
        after = await client.ask("pixel", game=GAME, x=110, y=9)
        assert before["original"] == after["original"] == [10, 9]
        assert (after["by"], after["at"], after["color"]) == ("ann", before["at"], 4)
        assert "by" not in await client.ask("pixel", game=GAME, x=10, y=9)


@pytest.mark.parametrize("codec", ["binary", "json"])
async def test_c17_our_client_learns_the_true_colour_from_a_refusal(codec: Any) -> None:
    async with (
        serving(cooldown_ms=60_000) as room,
        painting(room) as painter,
        room.client(codec=codec) as client,
    ):
        await painter.put((3, 4, 5))
        assert isinstance(await client.place(0, 0, 1), Placed)
        refused = await client.place(3, 4, 6)
        assert isinstance(refused, Refused)
        assert (refused.code, refused.true_color, refused.seq) == ("cooldown", 5, 2)
        assert client.board[3, 4] == 5


async def test_c20_what_is_decided_last_holds_within_the_same_turn() -> None:
    async with serving() as room, room.dial() as client:
        await client.play()
        for locked in (True, False):
            room.game.change({"locked": locked})
        (ack,) = await client.put((1, 1, 1))
        assert ack.status == 0
        for locked in (False, True):
            room.game.change({"locked": locked})
        (ack,) = await client.put((2, 2, 2))
        assert ack.status == 4


async def test_c32b_what_one_tab_does_reaches_the_other() -> None:
    async with serving(cooldown_ms=5000) as room, room.dial() as one, room.dial(JSON) as other:
        token = room.token("ann")
        await one.play(token=token)
        await other.play(token=token)
        await one.put((3, 4, 5))
        event = await other.event("pixels")
        assert event["pixels"] == [[3, 4, 5]]
        cooldown = (await other.ask("limits", game=GAME))["cooldown"]
        assert 0 < cooldown["leftMs"] <= 5000
        assert (await other.place(1, 1, 1))["error"]["code"] == "cooldown"


async def test_c63_every_acknowledged_pixel_is_where_its_ack_said_while_the_board_grows() -> None:
    """Fifty place on cells of their own, in whatever generation they know, while it grows."""
    async with serving(size=(60, 60)) as room:
        growing = asyncio.create_task(keep_growing(room))
        beds = await asyncio.gather(*[gardener(room, number) for number in range(50)])
        await growing
        canvas = await room.canvas()
        now = (await room.get(BOARD)).json()
    for ack, offset_x, offset_y in [one for bed in beds for one in bed]:
        x = (ack.record & 0x1FFF) + now["offsetX"] - offset_x
        y = (ack.record >> 13 & 0x1FFF) + now["offsetY"] - offset_y
        byte, odd = canvas[(y * now["width"] + x) // 2], (y * now["width"] + x) % 2
        assert (byte & 15 if odd else byte >> 4) == ack.record >> 26


async def gardener(room: Serving, number: int) -> list[tuple[Ack, int, int]]:
    """Place twenty pixels on a row of one's own; each ack with the offsets it was told under."""
    told: list[tuple[Ack, int, int]] = []
    async with room.dial() as player:
        await player.play(wantsPresence=False)
        for x in range(20):
            generation = player.follower.generation
            move_x, move_y = shifts(player, generation)
            cell = (x + move_x, number + move_y, (x + number) % 15)
            (ack,) = await player.put(cell, request=x, generation=generation)
            assert ack.status == 0
            told.append((ack, *shifts(player, player.follower.generation)))
    return told


def shifts(player: Foreign, generation: int) -> tuple[int, int]:
    """How far the first cells have moved up to a generation, as this player was told."""
    start = next(one for one in player.heard if isinstance(one, dict) and "games" in one)
    state = start["games"][0]
    grown = [
        one
        for one in player.heard
        if isinstance(one, dict) and one.get("event") == "resize" and one["seq"] > state["seq"]
    ]
    assert state["generation"] + len(grown) == generation
    last = grown[-1] if grown else state
    return last["offsetX"], last["offsetY"]


async def keep_growing(room: Serving) -> None:
    for seq in range(50, 800, 50):
        await until(lambda seq=seq: room.game.replica.seq > seq)  # type: ignore[misc]
        room.game.resize(random.Random(seq).choice(["left", "right", "up", "down", "expand"]), 3)


async def test_a_reconnecting_client_tells_its_listeners_what_it_resumed() -> None:
    joined: list[str] = []

    def listen(event: object) -> None:
        if isinstance(event, Connected):
            joined.append(event.game.resume)

    async with (
        serving() as room,
        relaying(room.port) as relay,
        painting(room) as painter,
        eager(relay, listen) as client,
    ):
        await client.ready()
        for seq in (10, 20):
            relay.stall()  # so that it is not back before there is something to resume
            relay.cut()
            await until(lambda: not client.connected)
            await paint(painter, 10, seed=seq)
            relay.flow()
            await until(lambda seq=seq: client.connected and client.seq == seq)  # type: ignore[misc]
        assert await client.verify()
    assert joined == ["snapshot", "events", "events"]


def eager(relay: Relay, listen: Any) -> Client:
    """A client that comes back in the next turn."""

    async def sleep(_delay_s: float) -> None:
        await asyncio.sleep(0)

    return Client(relay.url, sleep=sleep, on_event=listen)
