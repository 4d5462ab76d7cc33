"""Floods: refused first, cut in the end, and nobody else notices."""

import asyncio
from contextlib import AsyncExitStack
from typing import Any

import pytest
from websockets.exceptions import ConnectionClosed

from tests.support.clock import FakeClock
from tests.support.foreign import GAME, Foreign, place_frame
from tests.support.frames import client_frame
from tests.support.serving import serving
from tests.support.sockets import until
from tests.support.wire import Ack

LIMITS: dict[str, Any] = {"message_rate": 20, "message_burst": 128}


async def pour(client: Foreign, message: str | bytes) -> None:
    """Send without a look at the answers until the server has had enough."""
    try:
        for _ in range(20_000):
            await client.socket.send(message)
    except ConnectionClosed:
        return


@pytest.mark.parametrize(
    "message",
    [
        '{"do":"ping","id":1}',
        '{"do":"nothing","id":1}',
        '{"do":"checksum","id":1,"game":"place#main"}',
        '{"do":"limits","id":1}',
        '{"do":"place","id":1}',
        '{"do":"place"}',
        place_frame(*[(1, 1, 1)] * 64),
    ],
    ids=["ping", "unknown", "checksum", "limits", "bad place", "place without id", "place"],
)
async def test_a_flood_is_refused_then_cut_and_others_do_not_notice(message: str | bytes) -> None:
    async with (
        serving(**LIMITS) as room,
        room.dial() as flooder,
        room.dial() as player,
    ):
        await flooder.play()
        await player.play()
        pouring = asyncio.create_task(pour(flooder, message))
        for x in range(10):
            (ack,) = await player.put((x, 5, 1))
            assert ack.status == 0
        closing, code = await flooder.end()
        await pouring
        assert code == 4104
        assert closing is not None
        assert closing["retryAfterMs"] > 0
        assert refused_for_rate(flooder) > 0
        assert (await player.ask("ping"))["ok"]
        await until(lambda: room.online == 1)


def refused_for_rate(client: Foreign) -> int:
    acks = [one for one in client.heard if isinstance(one, Ack) and one.status == 9]
    replies = [
        one
        for one in client.heard
        if isinstance(one, dict) and one.get("error", {}).get("code") == "rate"
    ]
    return len(acks) + len(replies)


async def test_who_honours_the_delay_is_never_cut() -> None:
    clock = FakeClock()
    async with (
        serving(clock=clock, message_rate=1000, message_burst=16) as room,
        room.dial() as client,
    ):
        await client.play()
        refused = 0
        for _ in range(200):
            reply = await client.ask("pixel", game=GAME, x=1, y=1)
            if not reply["ok"]:
                refused += 1
                clock.advance(reply["error"]["retryAfterMs"])
                reply = await client.ask("pixel", game=GAME, x=1, y=1)
            assert reply["ok"], "the delay that is told is enough"
        assert refused > 4 * 16, "more than cuts who does not wait"


async def test_a_flood_of_text_that_is_no_command_is_cut_at_the_first() -> None:
    async with serving(**LIMITS) as room, room.dial() as client:
        await client.socket.send("x" * 1000)
        assert (await client.end())[1] == 4404


async def test_a_burst_of_one_delays_nobody_else_by_more_than_its_share() -> None:
    burst = 3_000
    async with serving() as room, AsyncExitStack() as open_lines:
        lines = [await open_lines.enter_async_context(room.dial()) for _ in range(51)]
        for line in lines:
            await line.play()
        flooder, *others = lines
        counts = room.parts.listener.counts
        before = counts.texts
        flooder.socket.transport.write(client_frame(1, b'{"do":"ping","id":1}') * burst)
        await until(lambda: counts.texts > before)
        await asyncio.gather(*[one.ask("ping") for one in others])
        assert counts.texts - before < burst / 2, "they did not wait for all of the burst"
        await asyncio.gather(*[one.put((x, 5, 1)) for x, one in enumerate(others[:20])])
        await until(lambda: counts.texts == before + burst + len(others))
