"""Every close code that can arise: the `closing` before it, and whether to come back."""

from collections.abc import Awaitable, Callable
from typing import Any

import pytest

from canvas.bans import Ban
from server.wire.codes import CloseCode
from tests.support.clock import FakeClock
from tests.support.foreign import Foreign, place_frame
from tests.support.serving import serving
from tests.support.sockets import until

Closing = dict[str, Any] | None
Scenario = Callable[[], Awaitable[tuple[Closing, int | None]]]
RETURN_LATER = {1012, 4101, 4103, 4104}
"""Closes that say after how long to come back; 4102 leaves that to the client."""


async def normal() -> tuple[Closing, int | None]:
    async with serving() as room, room.dial() as client:
        await client.socket.close(1000)
        await until(lambda: room.online == 0)
        return await client.end()


async def going_away() -> tuple[Closing, int | None]:
    """A browser says 1001 when its page is left; it is echoed."""
    async with serving() as room, room.dial() as client:
        await client.socket.close(1001)
        await until(lambda: room.online == 0)
        return await client.end()


async def too_big() -> tuple[Closing, int | None]:
    async with serving() as room, room.dial() as client:
        await client.socket.send("x" * 16_385)
        return await client.end()


async def restart() -> tuple[Closing, int | None]:
    async with serving() as room, room.dial() as client:
        await client.play()
        room.stop_soon()
        going = await client.event("going")
        assert 1000 <= going["retryAfterMs"] < 5000
        assert going["reason"]
        return await client.end()


async def starting() -> tuple[Closing, int | None]:
    async with serving(ready=False, held="journal.read") as room, room.dial() as client:
        event = await client.event("starting")
        assert event["retryAfterMs"] > 0
        room.faults.release("journal.read")
        return await client.end()


async def slow() -> tuple[Closing, int | None]:
    """Nothing heard for two ping periods: the client's side reads no pings, and answers none."""
    clock = FakeClock()
    async with serving(clock=clock, ping_ms=1000) as room, room.dial() as client:
        client.socket.transport.pause_reading()

        def is_ended() -> bool:
            clock.advance(5)
            return not room.parts.listener.live

        await until(is_ended)
        client.socket.transport.resume_reading()
        return await client.end()


async def too_many_connections() -> tuple[Closing, int | None]:
    async with serving(max_connections=1) as room, room.dial(), room.dial() as client:
        return await client.end()


async def rate() -> tuple[Closing, int | None]:
    async with serving(message_rate=1, message_burst=8) as room, room.dial() as client:
        await flood(client)
        return await client.end()


async def flood(client: Foreign) -> None:
    for _ in range(100):
        await client.socket.send('{"do":"ping","id":1}')


async def token() -> tuple[Closing, int | None]:
    async with serving() as room, room.dial() as client:
        reply = await client.ask("subscribe", token="forged")
        assert reply["error"]["code"] == "unauthorized"
        return await client.end()


async def token_expired() -> tuple[Closing, int | None]:
    clock = FakeClock()
    async with serving(clock=clock) as room, room.dial() as client:
        await client.play(token=room.token("ann", ttl_s=60))
        clock.advance(60_000)
        await client.say("ping")
        return await client.end()


async def banned_user() -> tuple[Closing, int | None]:
    async with serving() as room, room.dial() as client:
        room.services.bans.add_user("ann", Ban("scribbling"))
        reply = await client.ask("subscribe", token=room.token("ann"))
        assert reply["error"]["code"] == "forbidden"
        return await client.end()


async def banned_address() -> tuple[Closing, int | None]:
    async with serving() as room:
        room.services.bans.add_address("127.0.0.0/8", Ban("a farm"))
        async with room.dial() as client:
            return await client.end()


async def protocol_text() -> tuple[Closing, int | None]:
    return await after("no object")


async def protocol_binary() -> tuple[Closing, int | None]:
    return await after(place_frame(*[(0, 0, 1)] * 65))


async def after(message: str | bytes) -> tuple[Closing, int | None]:
    async with serving() as room, room.dial() as client:
        await client.play()
        await client.socket.send(message)
        assert (await client.event("error"))["code"] == "bad-frame"
        return await client.end()


SCENARIOS: dict[Scenario, CloseCode] = {
    normal: CloseCode.NORMAL,
    going_away: CloseCode.GOING_AWAY,
    too_big: CloseCode.TOO_BIG,
    restart: CloseCode.RESTART,
    starting: CloseCode.STARTING,
    slow: CloseCode.SLOW,
    too_many_connections: CloseCode.TOO_MANY_CONNECTIONS,
    rate: CloseCode.RATE,
    token: CloseCode.TOKEN,
    token_expired: CloseCode.TOKEN,
    banned_user: CloseCode.BANNED,
    banned_address: CloseCode.BANNED,
    protocol_text: CloseCode.PROTOCOL,
    protocol_binary: CloseCode.PROTOCOL,
}
OF_THE_CLIENT = {CloseCode.NORMAL, CloseCode.GOING_AWAY}
NOBODY_CAN_YET = {CloseCode.CLOSED_BY_OPERATOR}
"""There is no operator's command to close a connection."""


def test_every_code_is_here() -> None:
    assert set(SCENARIOS.values()) | NOBODY_CAN_YET == set(CloseCode)


@pytest.mark.parametrize("scenario", SCENARIOS, ids=lambda scenario: scenario.__name__)
async def test_a_close(scenario: Scenario) -> None:
    code = SCENARIOS[scenario]
    closing, closed_with = await scenario()
    assert closed_with == code
    if code in OF_THE_CLIENT:
        assert closing is None
        return
    assert closing is not None
    assert closing["code"] == code
    assert closing["reason"]
    assert ("retryAfterMs" in closing) == (code in RETURN_LATER)
