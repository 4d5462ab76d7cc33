"""Placements in both forms: acks, every refusal that can arise, and how many may be unanswered."""

import struct
from typing import Any

import pytest

from server.wire.codes import CloseCode
from tests.support.wire import Ack, Pixels
from tests.support.world import COMMIT, GAME, Client, World, running


def place_frame(
    *cells: tuple[int, int, int], request: int = 7, channel: int = 1, generation: int = 0
) -> bytes:
    records = [x | y << 13 | color << 26 for x, y, color in cells]
    return struct.pack(f"<BBHII{len(records)}I", 16, 0, channel, request, generation, *records)


async def player(world: World) -> Client:
    client = world.join()
    await client.play()
    client.heard()
    return client


async def place(client: Client, **fields: Any) -> dict[str, Any]:
    return await client.ask("place", **{"game": GAME, "x": 3, "y": 4, "color": 5, **fields})


async def test_the_json_ack() -> None:
    async with running(cooldown_ms=1000) as world:
        reply = await place(await player(world), request=9)
        assert {key: reply[key] for key in reply if key != "re"} == {
            "ok": True,
            "game": GAME,
            "request": 9,
            "seq": 1,
            "x": 3,
            "y": 4,
            "color": 5,
            "generation": 0,
            "cooldownLeftMs": 1000,
            "stackLeft": 0,
        }


async def test_the_binary_ack_follows_the_pixel() -> None:
    async with running(cooldown_ms=1000) as world:
        client = await player(world)
        client.send(place_frame((3, 4, 5)))
        await world.quiet()
        pixels, ack = client.heard()
        assert isinstance(pixels, Pixels)
        assert ack == Ack(0, 1, 7, 1, 3 | 4 << 13 | 5 << 26, 0, 0, 1000)


async def test_each_record_is_decided_by_itself() -> None:
    async with running(cooldown_ms=1000, max_stack=2) as world:
        client = await player(world)
        client.send(place_frame((0, 0, 1), (99, 0, 1), (1, 0, 2), (2, 0, 3)))
        await world.quiet()
        acks = [one for one in client.heard() if isinstance(one, Ack)]
        assert {ack.index: ack.status for ack in acks} == {0: 0, 1: 2, 2: 0, 3: 1}


async def test_acks_reach_a_player_who_watches_nothing() -> None:
    async with running() as world:
        client = world.join()
        await client.ask("subscribe", guest=True)
        assert (await place(client))["seq"] == 1


async def test_c17_a_refusal_brings_the_true_color_at_a_seq() -> None:
    async with running(cooldown_ms=1000) as world:
        client = await player(world)
        await place(client)
        error = (await place(client, color=6))["error"]
        assert (error["code"], error["seq"], error["color"]) == ("cooldown", 1, 5)
        assert error["leftMs"] == 1000
        client.send(place_frame((3, 4, 6)))
        (ack,) = client.heard()
        assert ack == Ack(1, 1, 7, 1, 3 | 4 << 13 | 5 << 26, 0, 0, 1000)


async def test_c49_a_refused_placement_costs_nothing() -> None:
    async with running(cooldown_ms=1000) as world:
        client = await player(world)
        assert (await place(client, x=99))["error"]["code"] == "out-of-bounds"
        assert (await place(client, color=16))["error"]["code"] == "bad-color"
        assert (await place(client))["seq"] == 1


async def test_a_spectator_does_not_place() -> None:
    async with running() as world:
        client = world.join()
        error = (await place(client))["error"]
        assert (error["code"], error["color"]) == ("spectator", 15)
        client.send(place_frame((3, 4, 5)))
        assert client.heard()[-1].status == 6


async def test_an_unknown_game_is_echoed() -> None:
    async with running() as world:
        client = await player(world)
        error = (await place(client, game="place#no"))["error"]
        assert (error["code"], error["seq"], error["color"]) == ("unknown-game", 0, 5)
        client.send(place_frame((3, 4, 5), channel=9))
        (ack,) = client.heard()
        assert (ack.status, ack.channel, ack.seq) == (8, 9, 0)
        assert ack.record == 3 | 4 << 13 | 5 << 26


async def test_an_unknown_generation_is_stale() -> None:
    async with running() as world:
        client = await player(world)
        assert (await place(client, generation=3))["error"]["code"] == "stale-generation"


@pytest.mark.parametrize("x", [-1, 20, 65_536, 2**31, 2**63])
async def test_c51_whole_numbers_outside_are_out_of_bounds(x: int) -> None:
    async with running() as world:
        error = (await place(await player(world), x=x))["error"]
        assert error["code"] == "out-of-bounds"


@pytest.mark.parametrize("x", [1.5, "1", None, True, [], {}, 1.0])
async def test_c51_coordinates_of_a_wrong_type_are_bad_requests(x: object) -> None:
    async with running() as world:
        error = (await place(await player(world), x=x))["error"]
        assert (error["code"], error["field"]) == ("bad-request", "x")


async def test_c51_nan_is_no_json() -> None:
    async with running() as world:
        client = await player(world)
        client.send('{"do":"place","id":1,"game":"place#main","x":NaN,"y":0,"color":0}')
        assert client.closed_with is CloseCode.PROTOCOL


@pytest.mark.parametrize(("field", "value"), [("request", 2**32), ("generation", -1), ("game", 1)])
async def test_other_fields_are_checked(field: str, value: object) -> None:
    async with running() as world:
        error = (await place(await player(world), **{field: value}))["error"]
        assert (error["code"], error["field"]) == ("bad-request", field)


async def test_out_of_credits_each_record_is_refused_with_the_true_color() -> None:
    async with running(credits=(10, 7)) as world:
        client = world.join()
        await client.ask("subscribe", guest=True)
        client.send(place_frame((0, 0, 1), (0, 1, 1), (0, 2, 1)))
        await world.quiet()
        acks = {ack.index: ack for ack in client.heard() if isinstance(ack, Ack)}
        assert [acks[index].status for index in range(3)] == [0, 0, 9]
        assert acks[2].record == 0 | 2 << 13 | 15 << 26
        error = (await place(client))["error"]
        assert (error["code"], error["scope"], error["color"]) == ("rate", "messages", 15)
        assert error["retryAfterMs"] == 100


async def test_c69_a_placement_sent_again_gets_the_same_answer() -> None:
    async with running(cooldown_ms=1000) as world:
        client = await player(world)
        first = await place(client, request=5)
        again = await place(client, request=5, color=9)
        assert {**again, "re": 0} == {**first, "re": 0}


async def test_c69_sent_again_before_it_is_committed_both_are_answered() -> None:
    async with running(cooldown_ms=1000) as world:
        client = await player(world)
        world.script.hold(COMMIT)
        client.send(place_frame((3, 4, 5)))
        client.send(place_frame((3, 4, 5)))
        await world.quiet()
        assert client.heard() == []
        assert client.session.placing.unanswered == 2
        world.script.release(COMMIT)
        await world.quiet()
        acks = [one for one in client.heard() if isinstance(one, Ack)]
        assert [(ack.status, ack.seq) for ack in acks] == [(0, 1), (0, 1)]
        assert client.session.placing.unanswered == 0


async def test_acks_tell_the_current_generation() -> None:
    async with running() as world:
        client = await player(world)
        first = await place(client, request=5)
        world.game.resize("left", 4)
        await world.quiet()
        assert (first["x"], first["generation"]) == (3, 0)
        again = await place(client, request=5)
        assert (again["x"], again["seq"], again["generation"]) == (7, 1, 1)
        moved = (await place(client, generation=0, color=16))["error"]
        assert (moved["code"], moved["color"]) == ("bad-color", 5)


async def test_more_than_1024_unanswered_are_not_read_and_never_refused() -> None:
    async with running(size=(100, 100)) as world:
        client = await player(world)
        world.script.hold(COMMIT)
        cells = [(n, m, 1) for m in range(20) for n in range(64)]
        for start in range(0, len(cells), 64):
            client.send(place_frame(*cells[start : start + 64], request=start))
        await world.quiet()
        placing = client.session.placing
        assert placing.unanswered == 17 * 64
        assert client.connection.holds == 1
        world.script.release(COMMIT)
        for _ in range(4):
            await world.quiet()
        acks = [one for one in client.heard() if isinstance(one, Ack)]
        assert len(acks) == len(cells)
        assert {ack.status for ack in acks} == {0}
        assert (placing.unanswered, client.connection.holds) == (0, 0)


async def test_answers_for_a_client_that_left_go_nowhere() -> None:
    async with running() as world:
        client = await player(world)
        world.script.hold(COMMIT)
        client.send(place_frame((3, 4, 5)))
        client.hang_up()
        world.script.release(COMMIT)
        await world.quiet()
        assert client.connection.acks == []
        assert world.game.replica.seq == 1


async def test_busy_while_draining() -> None:
    async with running() as world:
        client = await player(world)
        world.game.stop_taking()
        error = (await place(client))["error"]
        assert error["code"] == "busy"
        assert error["retryAfterMs"] > 0
