"""The commands that only ask: `limits`, `checksum`, `pixel`, `ping`, `syncPresence`."""

import zlib
from typing import Any

import pytest

from server.commands import checksum
from server.game.writers import Writers
from tests.support.foreign import place_frame
from tests.support.sockets import until
from tests.support.world import GAME, Client, World, running


async def player(world: World) -> Client:
    client = world.join()
    await client.play()
    return client


async def test_ping_tells_the_time() -> None:
    async with running() as world:
        assert (await world.join().ask("ping"))["time"] == world.clock.wall_ms()


async def test_limits_of_a_game() -> None:
    async with running(cooldown_ms=1000) as world:
        client = await player(world)
        await client.ask("place", game=GAME, x=0, y=0, color=0)
        reply = await client.ask("limits", game=GAME)
        assert (reply["cooldown"]["leftMs"], reply["cooldown"]["stack"]) == (1000, 0)
        assert (await client.ask("limits", game="no#no"))["error"]["code"] == "unknown-game"


async def test_checksum_equals_the_board_at_its_seq() -> None:
    async with running() as world:
        client = await player(world)
        await client.ask("place", game=GAME, x=0, y=0, color=0)
        reply = await client.ask("checksum", game=GAME, rowsPerBand=4)
        packed = world.game.replica.board.to_bytes()
        bands = [packed[:40], packed[40:80], packed[80:]]
        assert (reply["seq"], reply["crc32"]) == (1, zlib.crc32(packed))
        assert reply["bands"] == [zlib.crc32(band) for band in bands]


async def test_checksum_works_on_a_game_that_is_not_watched() -> None:
    async with running() as world:
        reply = await world.join().ask("checksum", game=GAME)
        assert (reply["seq"], "bands" in reply) == (0, False)


async def test_a_large_board_is_summed_beside_a_stream_that_stands_still(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(checksum, "INLINE_BYTES", 10)
    async with running() as world:
        client, other = await player(world), await player(world)
        client.heard()
        client.send({"do": "checksum", "id": 50, "game": GAME})
        assert client.connection.holds == 1
        other.send({"do": "place", "id": 51, "game": GAME, "x": 1, "y": 1, "color": 1})
        await world.quiet()
        await world.quiet()
        reply, frame = client.heard()
        assert (reply["re"], reply["seq"]) == (50, 0)
        assert (frame.first, frame.last) == (1, 1)


async def test_a_sum_that_fails_lets_the_stream_go_on(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(checksum, "INLINE_BYTES", 10)
    monkeypatch.setattr(checksum, "sums", None)
    async with running() as world:
        client = await player(world)
        assert (await client.ask("checksum", game=GAME))["error"]["code"] == "internal"
        world.faults.clear()
        frame, ack = await client.trace("place", game=GAME, x=1, y=1, color=1)
        assert (frame.last, ack["ok"]) == (1, True)


async def test_a_checksum_waits_for_the_snapshot_that_is_on_its_way() -> None:
    async with running() as world:
        slow, other = await player(world), await player(world)
        slow.heard()
        slow.connection.writable = False
        slow.session.writing_paused()
        for request in range(100):
            cells = [(1, 1, color) for color in range(16)] * 4
            other.send(place_frame(*cells, request=request))
            await world.quiet()
        slow.connection.writable = True
        slow.session.writing_resumed()
        slow.send({"do": "checksum", "id": 52, "game": GAME})
        await until(lambda: slow.session._task is None)
        snapshot, _band, reply = slow.heard()
        assert (snapshot["event"], snapshot["seq"]) == ("snapshot", 6400)
        assert (reply["re"], reply["seq"]) == (52, 6400)


async def test_a_checksum_of_a_paced_reader_waits_for_the_snapshot_that_it_needs() -> None:
    async with running() as world:
        paced, other = world.join(), await player(world)
        await paced.play(minIntervalMs=60_000)
        paced.heard()
        for request in range(100):
            cells = [(1, 1, color) for color in range(16)] * 4
            other.send(place_frame(*cells, request=request))
            await world.quiet()
        paced.send({"do": "checksum", "id": 53, "game": GAME})
        await until(lambda: paced.session._task is None)
        snapshot, _band, reply = paced.heard()
        assert (snapshot["event"], snapshot["seq"]) == ("snapshot", 6400)
        assert (reply["re"], reply["seq"]) == (53, 6400)


async def test_checksum_of_no_game() -> None:
    async with running() as world:
        reply = await world.join().ask("checksum", game="no#no")
        assert reply["error"]["code"] == "unknown-game"


@pytest.mark.parametrize("rows", [0, 3, -2, "4", True, 8002])
async def test_bands_have_an_even_number_of_rows(rows: object) -> None:
    async with running() as world:
        error = (await world.join().ask("checksum", game=GAME, rowsPerBand=rows))["error"]
        assert (error["code"], error["field"]) == ("bad-request", "rowsPerBand")


async def test_pixel_tells_who_and_when() -> None:
    async with running() as world:
        client = await player(world)
        await client.ask("place", game=GAME, x=1, y=2, color=3)
        at_ms = world.clock.wall_ms()
        world.clock.advance(5000)
        reply = await client.ask("pixel", game=GAME, x=1, y=2)
        assert reply == {
            "re": reply["re"],
            "ok": True,
            "seq": 1,
            "color": 3,
            "by": client.session.user_id,
            "at": at_ms,
            "original": [1, 2],
        }


async def test_an_untouched_pixel_is_nobodys() -> None:
    async with running() as world:
        reply = await world.join().ask("pixel", game=GAME, x=1, y=2)
        assert (reply["color"], "by" in reply) == (15, False)


async def test_pixel_tells_what_is_published_and_not_what_is_stored() -> None:
    async with running() as world:
        client = await player(world)
        await client.ask("place", game=GAME, x=1, y=2, color=3)
        (stored,) = [item async for page in world.store.journal.read(["HISTORY"]) for item in page]
        newer = [
            {**stored, "SK": f"ts#9{number:020d}", "seq": 2 + number, "userId": "later"}
            for number in range(20)
        ]
        await world.store.journal.commit(newer)
        reply = await client.ask("pixel", game=GAME, x=1, y=2)
        assert (reply["color"], reply["by"]) == (3, client.session.user_id)


async def test_pixel_tells_nothing_of_what_a_superseded_writer_left_behind() -> None:
    async with running() as world:
        client = await player(world)
        await client.ask("place", game=GAME, x=1, y=2, color=3)
        (stored,) = [item async for page in world.store.journal.read(["HISTORY"]) for item in page]
        late = {**stored, "SK": stored["SK"] + "0", "fence": 0, "userId": "late"}
        await world.store.journal.commit([late])
        world.game.writers = Writers({0: 0})
        reply = await client.ask("pixel", game=GAME, x=1, y=2)
        assert reply["by"] == client.session.user_id


async def test_pixel_outside() -> None:
    async with running() as world:
        client = world.join()
        for cell, field in (({"x": 20, "y": 0}, "x"), ({"x": 0, "y": -1}, "y")):
            error = (await client.ask("pixel", game=GAME, **cell))["error"]
            assert (error["code"], error["field"]) == ("out-of-bounds", field)
        assert (await client.ask("pixel", game="no#no", x=0, y=0))["error"]["code"] == (
            "unknown-game"
        )


async def test_pixel_names_the_original_place_after_growth() -> None:
    async with running() as world:
        client = await player(world)
        await client.ask("place", game=GAME, x=1, y=2, color=3)
        world.game.resize("left", 4)
        await world.quiet()
        reply: dict[str, Any] = await client.ask("pixel", game=GAME, x=5, y=2)
        assert (reply["original"], reply["by"]) == ([1, 2], client.session.user_id)


async def test_sync_presence_does_not_raise_the_number() -> None:
    async with running() as world:
        client = await player(world)
        await world.services.presence.flush()
        first = (await client.ask("syncPresence"))["presence"]
        assert (await client.ask("syncPresence"))["presence"] == first
        assert (first["seq"], first["total"], first["spectators"]) == (1, 1, 0)
