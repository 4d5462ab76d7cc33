"""C11, C25: while the store is away, refuses, or is being read; C11 on every store."""

import asyncio

import pytest
from tesserae_client import Lost

from persistence.errors import PermanentFault, TransientFault
from tests.support.foreign import GAME, JSON, place_frame
from tests.support.homes import Home
from tests.support.memory_store import open_memory
from tests.support.serving import BOARD, serving
from tests.support.sockets import until

FULL = TransientFault("the disk is full", "make room")
GONE = PermanentFault("access was taken away", "give it back and start again")


async def test_c11_nothing_is_seen_or_acknowledged_until_the_journal_has_it(home: Home) -> None:
    async with (
        home.opened() as store,
        serving(store=store) as room,
        room.dial() as player,
        room.dial(JSON) as watcher,
    ):
        await player.play()
        await watcher.play()
        room.faults.fail("journal.commit", FULL)
        await player.socket.send(place_frame((3, 4, 5), (3, 4, 6)))
        await until(lambda: room.log.warnings != [])
        for _ in range(3):
            for client in (player, watcher):
                assert (await client.ask("checksum", game=GAME))["seq"] == 0
                assert (await client.ask("pixel", game=GAME, x=3, y=4))["color"] == 15
        assert (await room.get("readyz")).status == 503
        room.faults.mend()
        acks = await player.acks(2)
        assert (await room.get("readyz")).status == 200
        assert [(ack.status, ack.seq) for ack in acks] == [(0, 1), (0, 2)]
        pixels = await watcher.event("pixels")
        assert pixels["pixels"] == [[3, 4, 5], [3, 4, 6]]
        assert await player.in_step_by_checksum()
        assert await watcher.in_step_by_checksum()
        assert player.follower.board is not None
        assert player.follower.board.to_bytes() == await room.canvas()


async def test_c11_an_answer_that_was_lost_is_no_second_pixel(home: Home) -> None:
    async with home.opened() as store, serving(store=store) as room, room.dial() as player:
        await player.play()
        room.faults.fail("journal.commit", FULL, times=3, answer_lost=True)
        assert [ack.seq for ack in await player.put((3, 4, 5), (3, 4, 6))] == [1, 2]
        items = [item async for page in room.history() for item in page]
        assert [item["seq"] for item in items] == [1, 2]


async def test_c11_past_the_bound_it_is_busy_and_nothing_is_lost_when_space_returns(
    home: Home,
) -> None:
    async with (
        home.opened() as store,
        serving(store=store, max_backlog=10) as room,
        room.dial() as player,
        room.dial() as other,
    ):
        await player.play()
        await other.play()
        room.faults.fail("journal.commit", FULL)
        await player.socket.send(place_frame(*[(x, 0, 1) for x in range(10)]))
        await player.ask("ping")
        (busy,) = await other.put((0, 0, 2))
        assert (busy.status, busy.left_ms) == (7, 1000)
        room.faults.mend()
        assert [ack.seq for ack in await player.acks(10)] == list(range(1, 11))
        (placed,) = await other.put((0, 0, 2))
        assert (placed.status, placed.seq) == (0, 11)


async def test_c11_a_fault_for_good_stops_placing_and_not_watching(home: Home) -> None:
    async with (
        home.opened() as store,
        serving(store=store, stop_deadline=600) as room,
        room.dial() as player,
        room.dial() as watcher,
    ):
        await player.play()
        assert (await player.put((3, 4, 5)))[0].status == 0
        room.faults.fail("journal.commit", GONE)
        await player.socket.send(place_frame((3, 4, 6), request=1))
        await until(lambda: room.log.errors != [])
        assert [ack.status for ack in await player.put((1, 1, 1))] == [7]
        await watcher.play()
        assert (await watcher.ask("pixel", game=GAME, x=3, y=4))["color"] == 5
        assert await watcher.in_step_by_checksum()
        ready = await room.get("readyz")
        assert ready.status == 503
        assert b"give it back" in ready.body
        assert (await room.get("healthz")).status == 200
        event, fields = room.log.errors.pop()
        assert "no placements are taken" in event
        assert fields["remedy"] == GONE.hint
        room.faults.mend()
        room.gives_up()


@pytest.mark.parametrize("codec", ["tesserae.v1", JSON])
async def test_c25_before_recovery_ends_nobody_sees_an_empty_board(codec: str) -> None:
    store = open_memory()
    async with serving(store=store) as room, room.dial() as player:
        await player.play()
        await player.put((3, 4, 5), (5, 6, 7))
        before = await room.canvas()
    async with serving(store=store, ready=False, held="journal.read") as room:
        async with room.dial(codec) as client:
            assert (await client.event("starting"))["retryAfterMs"] > 0
            closing, code = await client.end()
            assert code == 4101
            assert closing is not None
            assert closing["retryAfterMs"] > 0
        for path in (f"{BOARD}/canvas.bin", BOARD, "api/games", "readyz"):
            assert (await room.get(path)).status == 503, path
        assert (await room.get("healthz")).status == 200
        room.faults.release("journal.read")
        await until(lambda: room.services.phase.takes_placements)
        async with room.dial(codec) as client:
            await client.play()
            assert client.follower.board is not None
            assert client.follower.board.to_bytes() == before
            assert client.follower.seq == 2


async def test_c25_our_client_waits_and_then_has_the_board() -> None:
    store = open_memory()
    async with serving(store=store) as room, room.dial() as player:
        await player.play()
        await player.put((3, 4, 5))
    told = asyncio.Event()
    lost: list[Lost] = []

    def hear(event: object) -> None:
        if isinstance(event, Lost):
            lost.append(event)
            told.set()

    async def sleep(_delay_s: float) -> None:
        await until(lambda: room.services.phase.takes_placements)

    async with (
        serving(store=store, ready=False, held="journal.read") as room,
        room.client(on_event=hear, sleep=sleep) as client,
    ):
        await told.wait()
        room.faults.release("journal.read")
        await client.ready()
        assert client.board[3, 4] == 5
        assert lost[0].code == 4101
        assert lost[0].retry_in_s >= 2
