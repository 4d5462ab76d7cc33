"""C4, C7, C22, C29, C31, C32, C67, C68: who is let in, who stays, who is counted."""

import asyncio
import random
import struct
from typing import Any

import pytest
from tesserae_client import Client, Lost, Placed, PlacementUnknown
from websockets.exceptions import InvalidStatus

from tests.support.clock import FakeClock
from tests.support.foreign import JSON
from tests.support.relay import relaying
from tests.support.serving import Serving, serving
from tests.support.sockets import until, upgrade_request

TRUSTED = "127.0.0.0/8"


async def test_c4_a_dead_line_is_dropped_and_its_placement_settled_after_the_resume() -> None:
    heard: list[object] = []
    async with (
        serving(ping_ms=1000, cooldown_ms=60_000) as room,
        relaying(room.port) as relay,
        Client(relay.url, on_event=heard.append) as client,
    ):
        await client.ready()
        relay.stall()
        placing = asyncio.create_task(client.place(3, 4, 5))
        await until(lambda: room.game.replica.seq == 1)
        await until(lambda: any(isinstance(event, PlacementUnknown) for event in heard))
        (unknown,) = [event.placement for event in heard if isinstance(event, PlacementUnknown)]
        assert (unknown.x, unknown.y, unknown.color) == (3, 4, 5)
        await until(lambda: room.online == 0)
        relay.cut()
        relay.flow()
        outcome = await placing
        assert isinstance(outcome, Placed)
        assert outcome.seq == room.game.replica.seq == 1
        assert await client.verify()


async def test_c7_two_hundred_refused_at_once_come_back_late_and_spread_out() -> None:
    lost: list[Lost] = []

    async def sleep(_delay_s: float) -> None:
        await asyncio.Event().wait()

    def hear(event: object) -> None:
        if isinstance(event, Lost):
            lost.append(event)

    async with serving(max_connections=1) as room, room.dial() as first:
        await first.play()
        chance = random.Random(3)
        clients = [
            room.client(sleep=sleep, on_event=hear, rng=random.Random(chance.random()))
            for _ in range(200)
        ]
        await asyncio.gather(*[client.__aenter__() for client in clients])
        await until(lambda: len(lost) == 200)
        await asyncio.gather(*[client.close() for client in clients])
        assert {event.code for event in lost} == {4103}
        delays = sorted(event.retry_in_s for event in lost)
        assert delays[0] >= 30, "as late as the server asks"
        assert len(set(delays)) == 200
        assert delays[-1] - delays[0] > 0.2, "and spread by jitter"
        assert (await first.ask("ping"))["ok"]


async def test_c22_an_idle_client_behind_a_relay_that_cuts_silent_lines_stays() -> None:
    """At a twentieth of the scale: pings each second, a relay that cuts after 2.75 s."""
    clock = FakeClock()
    async with (
        serving(clock=clock, ping_ms=1000) as room,
        relaying(room.port, clock.monotonic_ms) as relay,
        room.client(url=relay.url) as client,
    ):
        await client.ready()
        (connection,) = room.parts.listener.live
        for _ in range(12):
            clock.advance(1000)
            await until(lambda: connection.pulse.alive_ms == clock.monotonic_ms())
        assert client.connected
        assert 0 < relay.longest_silence_ms < 2750


async def test_c29_the_online_count_equals_the_live_set() -> None:
    async with serving(max_connections=100, origin_required=True) as room:
        headers = {"Origin": f"http://127.0.0.1:{room.port}"}
        async with room.dial(headers=headers) as one, room.dial(headers=headers) as two:
            await one.play()
            await fail_in_every_way(room)
            await until(lambda: counts(room) == (2, 2, 2))
            snapshot = (await two.ask("syncPresence"))["presence"]
            assert (snapshot["total"], snapshot["spectators"]) == (1, 1)
        await until(lambda: counts(room) == (0, 0, 0))


def counts(room: Serving) -> tuple[int, int, int]:
    """Open sockets, sessions, places taken."""
    return len(room.parts.listener.live), room.online, len(room.services.connection_limits)


async def fail_in_every_way(room: Serving) -> None:
    """Refused, cut in the handshake, silent, reset, half open, gone at once."""
    with pytest.raises(InvalidStatus):
        async with room.dial():
            pass
    own = f"Origin: http://127.0.0.1:{room.port}"
    for count in (0, 1, 60):
        _, writer = await asyncio.open_connection("127.0.0.1", room.port)
        writer.write(upgrade_request(own)[:count])
        writer.transport.abort()
    for reset in (True, False):
        reader, writer = await asyncio.open_connection("127.0.0.1", room.port)
        writer.write(upgrade_request(f"Host: 127.0.0.1:{room.port}", own))
        await reader.read(1)
        if reset:
            linger = struct.pack("ii", 1, 0)
            writer.get_extra_info("socket").setsockopt(1, 13, linger)
            writer.transport.abort()
        else:
            writer.write_eof()
            await reader.read()
            writer.close()


async def test_c31_one_socket_too_many_of_an_address_spectators_too() -> None:
    async with serving(max_connections_per_address=3) as room, room.dial() as first:
        await first.play()
        async with room.dial(), room.dial(), room.dial() as fourth:
            closing, code = await fourth.end()
            assert code == 4103
            assert closing is not None
            assert closing["retryAfterMs"] > 0
        await until(lambda: room.online == 1)
        async with room.dial() as again:
            assert (await again.ask("ping"))["ok"]


@pytest.mark.parametrize(
    ("addresses", "code"),
    [
        (("2001:db8:0:1::1", "2001:db8:0:1:ffff::2"), 4103),
        (("2001:db8:0:1::1", "2001:db8:0:2::1"), None),
        (("203.0.113.1", "203.0.113.2"), None),
        (("203.0.113.1", "::ffff:203.0.113.1"), 4103),
    ],
)
async def test_c31_an_ipv6_client_is_its_64(addresses: tuple[str, str], code: int | None) -> None:
    one, other = [{"X-Forwarded-For": address} for address in addresses]
    limits: dict[str, Any] = {"max_connections_per_address": 1, "trusted_proxies": TRUSTED}
    async with (
        serving(**limits) as room,
        room.dial(headers=one),
        room.dial(headers=other) as second,
    ):
        if code is None:
            assert (await second.ask("ping"))["ok"]
        else:
            assert (await second.end())[1] == code


@pytest.mark.parametrize("lie", ["203.0.113.7", "203.0.113.8, 10.0.0.1", "not an address"])
async def test_c68_a_peer_outside_the_trusted_networks_cannot_choose_its_address(lie: str) -> None:
    limits: dict[str, Any] = {"max_connections_per_address": 1, "trusted_proxies": "10.0.0.0/8"}
    async with (
        serving(**limits) as room,
        room.dial() as first,
        room.dial(headers={"X-Forwarded-For": lie}) as second,
    ):
        assert (await second.end())[1] == 4103
        assert (await first.ask("ping"))["ok"]


@pytest.mark.parametrize(
    ("settings", "origin", "status"),
    [
        ({}, None, None),
        ({}, "own", None),
        ({}, "http://evil.example", 403),
        ({"origins": "https://ok.example"}, "https://ok.example", None),
        ({"origins": "https://ok.example"}, "https://other.example", 403),
        ({"origin_required": "on"}, None, 403),
        ({"origin_required": "on"}, "own", None),
    ],
)
async def test_c32_origins_as_configured(
    settings: dict[str, Any], origin: str | None, status: int | None
) -> None:
    async with serving(**settings) as room:
        own = f"http://127.0.0.1:{room.port}"
        headers = {} if origin is None else {"Origin": own if origin == "own" else origin}
        if status is None:
            async with room.dial(headers=headers) as client:
                assert (await client.play())["ok"]
            return
        with pytest.raises(InvalidStatus) as refused:
            async with room.dial(headers=headers):
                pass
        assert refused.value.response.status_code == status
        assert refused.value.response.body


async def test_c67_an_unknown_protocol_version_is_refused_by_name() -> None:
    async with serving() as room:
        with pytest.raises(InvalidStatus) as refused:
            async with room.dial("tesserae.v9"):
                pass
        assert refused.value.response.status_code == 400
        body = bytes(refused.value.response.body or b"").decode()
        for name in ("tesserae.v9", "tesserae.v1", "tesserae.v1.json"):
            assert name in body


async def test_c67_no_subprotocol_at_all_is_json() -> None:
    async with serving() as room, room.dial(None) as client, room.dial(JSON) as other:
        await client.play()
        await other.play()
        await other.place(3, 4, 5)
        assert (await client.event("pixels"))["pixels"] == [[3, 4, 5]]
        assert client.socket.subprotocol is None


async def test_too_many_handshakes_are_told_when_to_come_back() -> None:
    clock = FakeClock()
    async with serving(clock=clock, handshakes_per_second=2) as room, room.dial(), room.dial():
        for seconds in ("1", "1", "2"):
            with pytest.raises(InvalidStatus) as refused:
                async with room.dial():
                    pass
            assert refused.value.response.status_code == 429
            assert refused.value.response.headers["Retry-After"] == seconds
        clock.advance(1000)
        async with room.dial() as client:
            assert (await client.ask("ping"))["ok"]
