"""C33, C36, C38, C39, C41, C46, C47, C49, C65: who may place when, and what is told about it."""

import asyncio
from typing import Any

import pytest

from tests.support.clock import FakeClock
from tests.support.foreign import BINARY, GAME, JSON, Foreign
from tests.support.homes import Home
from tests.support.serving import Serving, serving

HOUR_MS = 3_600_000
DAY_MS = 24 * HOUR_MS
COOLDOWN_MS = 300_000
TRUSTED = "127.0.0.0/8"


async def joined(room: Serving, client: Foreign, user: str) -> dict[str, Any]:
    """Subscribe as somebody; the state of the game."""
    reply = await client.play(token=room.token(user))
    state = reply["games"][0]
    assert isinstance(state, dict)
    return state


async def left_ms(client: Foreign) -> int:
    return int((await client.ask("limits", game=GAME))["cooldown"]["leftMs"])


async def test_c33_of_a_hundred_at_once_over_three_sockets_one_is_accepted() -> None:
    async with (
        serving(cooldown_ms=COOLDOWN_MS) as room,
        room.dial() as one,
        room.dial() as two,
        room.dial() as three,
    ):
        tabs = (one, two, three)
        for tab in tabs:
            await joined(room, tab, "ann")
        cells = [(x, y, 1) for x in range(12) for y in range(3)][:34]
        answers = await asyncio.gather(
            *[tab.put(*cells[: 34 - (n > 0)]) for n, tab in enumerate(tabs)]
        )
        statuses = sorted(ack.status for acks in answers for ack in acks)
        assert statuses == [0] + [1] * 99
        assert room.game.replica.seq == 1


@pytest.mark.parametrize("jump_ms", [HOUR_MS, -HOUR_MS])
async def test_c36_a_jump_of_the_wall_clock_moves_no_cooldown(home: Home, jump_ms: int) -> None:
    clock = FakeClock()
    async with (
        home.opened() as store,
        serving(clock=clock, store=store, cooldown_ms=COOLDOWN_MS) as room,
        room.dial() as client,
    ):
        await joined(room, client, "ann")
        reply = await client.place(1, 1, 1)
        assert reply["cooldownLeftMs"] == COOLDOWN_MS
        clock.jump_wall(jump_ms)
        clock.advance(100_000)
        assert await left_ms(client) == COOLDOWN_MS - 100_000
        error = (await client.place(1, 1, 2))["error"]
        assert (error["code"], error["leftMs"]) == ("cooldown", COOLDOWN_MS - 100_000)
        assert {"until", "endsAt", "readyAt"}.isdisjoint(error), "what is left is told, not when"
        clock.advance(COOLDOWN_MS - 100_000)
        assert (await client.place(1, 1, 2))["ok"]


@pytest.mark.parametrize("cooldown_ms", [0, COOLDOWN_MS])
@pytest.mark.parametrize("codec", [BINARY, JSON])
async def test_c38_the_first_state_states_the_cooldown(codec: str, cooldown_ms: int) -> None:
    async with serving(cooldown_ms=cooldown_ms) as room, room.dial(codec) as client:
        state = await joined(room, client, "ann")
        stated = {"rule": "fixed", "ms": cooldown_ms, "leftMs": 0, "stack": 1, "maxStack": 1}
        assert state["cooldown"] == stated


async def test_c39_coming_back_in_the_middle_gives_the_rest(home: Home) -> None:
    """Over a new socket and over a restart of the server."""
    clock = FakeClock()
    for elapsed_ms in (0, 70_000, 140_000):
        async with (
            home.opened() as store,
            serving(clock=clock, store=store, cooldown_ms=COOLDOWN_MS) as room,
        ):
            async with room.dial() as client:
                state = await joined(room, client, "ann")
                if not elapsed_ms:
                    assert (await client.place(1, 1, 1))["ok"]
                else:
                    assert state["cooldown"]["leftMs"] == COOLDOWN_MS - elapsed_ms
            clock.advance(30_000)
            async with room.dial() as client:
                state = await joined(room, client, "ann")
                assert state["cooldown"]["leftMs"] == COOLDOWN_MS - elapsed_ms - 30_000
        clock.advance(40_000)


async def test_c41_accepted_at_the_end_and_not_a_millisecond_before() -> None:
    clock = FakeClock()
    async with serving(clock=clock, cooldown_ms=COOLDOWN_MS) as room, room.dial() as client:
        await joined(room, client, "ann")
        await client.put((1, 1, 1))
        clock.advance(COOLDOWN_MS - 1)
        (ack,) = await client.put((1, 1, 2))
        assert (ack.status, ack.left_ms) == (1, 1)
        clock.advance(1)
        (ack,) = await client.put((1, 1, 2))
        assert (ack.status, ack.left_ms) == (0, COOLDOWN_MS)


async def test_c46_a_hundred_days_fit_every_field() -> None:
    long_ms = 100 * DAY_MS
    clock = FakeClock()
    async with serving(clock=clock, cooldown_ms=long_ms) as room, room.dial() as client:
        state = await joined(room, client, "ann")
        assert state["cooldown"]["ms"] == long_ms
        (ack,) = await client.put((1, 1, 1))
        assert ack.left_ms == long_ms
        clock.advance(1)
        (ack,) = await client.put((1, 1, 1))
        assert (ack.status, ack.left_ms) == (1, long_ms - 1)
        assert (await client.place(1, 1, 1))["error"]["leftMs"] == long_ms - 1
        assert await left_ms(client) == long_ms - 1


async def test_c47_thirty_players_of_a_school_each_place_once_per_cooldown() -> None:
    clock = FakeClock()
    async with serving(clock=clock, cooldown_ms=COOLDOWN_MS, address_budget=40) as room:
        for _ in range(2):
            for number in range(30):
                async with room.dial() as player:
                    await joined(room, player, f"pupil-{number}")
                    acks = await player.put((1, 1, 1), (1, 1, 2))
                    assert [ack.status for ack in acks] == [0, 1]
            clock.advance(COOLDOWN_MS)
        assert room.game.replica.seq == 60


async def test_c47_a_farm_of_200_guests_never_passes_its_address_budget() -> None:
    clock = FakeClock()
    async with serving(clock=clock, cooldown_ms=COOLDOWN_MS, address_budget=40) as room:
        statuses = []
        for number in range(200):
            async with room.dial() as guest:
                await guest.play(wantsPresence=False)
                statuses += [ack.status for ack in await guest.put((number % 20, 1, 1))]
        assert statuses == [0] * 40 + [13] * 160
        async with room.dial(JSON) as guest:
            await guest.play()
            error = (await guest.place(1, 1, 1))["error"]
        assert (error["code"], error["leftMs"]) == ("address-cooldown", COOLDOWN_MS)
        assert error["scope"] == "address"


async def test_c47_addresses_do_not_share_and_the_shortest_time_is_as_configured() -> None:
    clock = FakeClock()
    async with serving(clock=clock, address_cooldown=5000, trusted_proxies=TRUSTED) as room:
        for user, address, code in (
            ("ann", "203.0.113.1", None),
            ("bob", "203.0.113.1", "address-cooldown"),
            ("cleo", "203.0.113.2", None),
            ("dan", "2001:db8::1", None),
            ("eve", "2001:db8::2", "address-cooldown"),
        ):
            async with room.dial(JSON, headers={"X-Forwarded-For": address}) as client:
                await joined(room, client, user)
                reply = await client.place(1, 1, 1)
                assert reply.get("error", {}).get("code") == code


async def test_c49_what_is_invalid_or_refused_costs_nothing() -> None:
    clock = FakeClock()
    async with serving(clock=clock, cooldown_ms=COOLDOWN_MS) as room, room.dial() as client:
        await joined(room, client, "ann")
        wrong = [(99, 0, 1), (0, 99, 1), (0, 0, 16)]
        assert [ack.status for ack in await client.put(*wrong)] == [2, 2, 3]
        (stale,) = await client.put((0, 0, 1), generation=9)
        assert stale.status == 12
        room.game.change({"locked": True})
        (locked,) = await client.put((0, 0, 1))
        assert locked.status == 4
        room.game.change({"locked": False})
        assert (await client.place(0, 0, 1, request=-1))["error"]["code"] == "bad-request"
        assert await left_ms(client) == 0
        assert [ack.status for ack in await client.put((0, 0, 1))] == [0]
        clock.advance(1000)
        for _ in range(5):
            await client.put((0, 0, 2))
        assert await left_ms(client) == COOLDOWN_MS - 1000, "a refusal prolongs nothing"


async def test_c65_limits_are_read_for_free_and_refusals_name_the_bucket() -> None:
    clock = FakeClock()
    async with (
        serving(clock=clock, message_rate=2, message_burst=30) as room,
        room.dial(JSON) as client,
    ):
        await joined(room, client, "ann")
        for _ in range(10):
            credits_left = (await client.ask("limits"))["credits"]
            assert credits_left["messages"]["left"] == 25
        assert credits_left["limits"]["left"] == 20
        assert credits_left["messages"]["fullInMs"] == 2500
        for x in range(20):
            assert (await client.place(x, 0, 1))["ok"]
        for _ in range(5):
            assert (await client.ask("ping"))["ok"]
        error = (await client.place(0, 1, 1))["error"]
        assert (error["code"], error["scope"], error["retryAfterMs"]) == ("rate", "messages", 500)
        clock.advance(500)
        assert (await client.place(0, 1, 1))["ok"]
