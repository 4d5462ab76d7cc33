"""Floods below the messages: whoever begins and never ends costs itself, and nobody else.

While each goes on somebody else places, and is acknowledged; what is kept for the flooders is
bounded; and in the end they are gone, without a task, a place or a buffer left behind.
"""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field

import pytest

from server.transport.counts import Turned
from tests.support.bare import Bare, bare, connected
from tests.support.clock import FakeClock
from tests.support.foreign import BINARY, Foreign, place_frame
from tests.support.frames import client_frame
from tests.support.serving import Serving, serving
from tests.support.sockets import until, upgrade_request

MANY, WAITING = 150, 100
PING_MS, STEP_MS = 1_000, 500
HEAD_TIMEOUT_MS = 10_000
MESSAGE_MAX = 16_384
HEAD = upgrade_request(f"Sec-WebSocket-Protocol: {BINARY}")


@dataclass
class Flooded:
    """A server with a player, and who floods it."""

    room: Serving
    clock: FakeClock
    player: Foreign
    flooders: list[Bare] = field(default_factory=list)
    placed: int = 0

    async def come(self, *, upgraded: bool = True) -> Bare:
        """One flooder more."""
        flooder = await connected(self.room.port, receive_buffer=4096)
        self.flooders.append(flooder)
        if upgraded:
            await flooder.upgrade()
        return flooder

    async def place(self) -> None:
        """Place as anybody does, and be acknowledged."""
        x, y = self.placed % 20, self.placed // 20 % 10
        (ack,) = await self.player.put((x, y, self.placed % 16))
        assert ack.status == 0
        self.placed += 1

    async def pass_time(self, ms: int) -> None:
        """Let time pass with a look at every connection in each step of it."""
        keepalive = self.room.parts.listener._keepalive
        for _ in range(ms // STEP_MS):
            self.clock.advance(STEP_MS)
            await until(lambda: keepalive._turned_ms == self.clock.monotonic_ms())
            await self.place()

    def kept_bytes(self) -> int:
        """The most that is kept of what one connection has sent."""
        inboxes = [connection._inbox for connection in self.room.parts.listener.live]
        return max(len(inbox._data) + len(inbox._fragments or b"") for inbox in inboxes)

    @property
    def waiting(self) -> int:
        """How many stand in the door."""
        return len(self.room.parts.listener._lobby)

    async def nobody_is_left(self) -> None:
        """All but the player are gone."""
        listener = self.room.parts.listener
        await until(lambda: (self.waiting, len(listener.live), self.room.online) == (0, 1, 1))
        assert len(self.room.services.connection_limits) == 1
        await self.place()
        assert await self.player.in_step_by_checksum()


@pytest.fixture
async def flooded() -> AsyncIterator[Flooded]:
    async with playing() as found:
        yield found


@asynccontextmanager
async def playing() -> AsyncIterator[Flooded]:
    clock = FakeClock()
    async with serving(clock=clock, ping_ms=PING_MS, tick_min_ms=1) as room, room.dial() as player:
        await player.play()
        room.parts.listener._lobby._capacity = WAITING
        tasks = len(asyncio.all_tasks())
        found = Flooded(room, clock, player)
        try:
            yield found
        finally:
            for flooder in found.flooders:
                flooder.close()
        assert len(asyncio.all_tasks()) <= tasks


@pytest.mark.parametrize("said", [0, 1, len(HEAD) - 1])
async def test_handshakes_that_never_end_hold_no_more_than_the_door(
    flooded: Flooded, said: int
) -> None:
    for _ in range(MANY):
        flooder = await flooded.come(upgraded=False)
        await flooder.send(HEAD[:said])
    await until(lambda: flooded.waiting == WAITING)
    await flooded.place()
    async with bare(flooded.room.port) as honest:
        await honest.subscribe()
    await flooded.pass_time(HEAD_TIMEOUT_MS)
    assert flooded.room.parts.listener.counts.turned[Turned.SLOW] == MANY
    await flooded.nobody_is_left()


async def test_a_head_that_comes_a_byte_at_a_time_is_not_waited_for_longer(
    flooded: Flooded,
) -> None:
    flooders = [await flooded.come(upgraded=False) for _ in range(10)]
    for place in range(HEAD_TIMEOUT_MS // STEP_MS + 1):
        for flooder in flooders:
            with suppress(ConnectionError):
                await flooder.send(HEAD[place : place + 1])
        await flooded.pass_time(STEP_MS)
    for flooder in flooders:
        assert (await flooder.ended()).startswith(b"HTTP/1.1 408 ")
    await flooded.nobody_is_left()


async def test_a_head_without_an_end_is_refused_at_its_bound(flooded: Flooded) -> None:
    flooder = await flooded.come(upgraded=False)
    await flooder.send(HEAD[:-2])
    for _ in range(MESSAGE_MAX // 100 + 1):
        await flooder.send(b"X-Loris: " + b"x" * 90 + b"\r\n")
        await flooded.place()
    assert (await flooder.ended()).startswith(b"HTTP/1.1 431 ")
    flooder.close()
    await flooded.nobody_is_left()


async def test_half_open_sockets_are_found_out_and_closed(flooded: Flooded) -> None:
    """Upgraded and watching, then as if the line were cut: neither a byte nor an end of them."""
    for _ in range(MANY):
        await (await flooded.come()).subscribe()
    assert flooded.room.online == 1 + MANY
    await flooded.pass_time(3 * PING_MS)
    assert flooded.room.parts.listener.counts.closed["4102"] == MANY
    await flooded.nobody_is_left()


async def pings(flooder: Bare) -> None:
    await flooder.send(client_frame(9, b"x" * 100) * 50)


async def fragments_of_a_byte(flooder: Bare) -> None:
    await flooder.send(client_frame(1, b"{", fin=False))
    while True:
        await flooder.send(client_frame(0, b" ", fin=False) * 50)


async def fragments_of_nothing(flooder: Bare) -> None:
    await flooder.send(client_frame(1, b"", fin=False))
    while True:
        await flooder.send(client_frame(0, b"", fin=False) * 50)


async def pongs(flooder: Bare) -> None:
    await flooder.send(client_frame(10) * 100)


@pytest.mark.parametrize("attack", [pings, pongs, fragments_of_a_byte, fragments_of_nothing])
async def test_a_storm_of_what_costs_no_credits_is_cut(
    flooded: Flooded, attack: Callable[[Bare], Awaitable[None]]
) -> None:
    flooder = await flooded.come()
    storming = asyncio.create_task(storm(flooder, attack))
    counts = flooded.room.parts.listener.counts
    while not counts.closed["4104"]:
        await flooded.place()
        assert flooded.kept_bytes() <= MESSAGE_MAX + 65_536 * 4
    storming.cancel()
    await asyncio.gather(storming, return_exceptions=True)
    flooder.close()
    await flooded.nobody_is_left()


async def storm(flooder: Bare, attack: Callable[[Bare], Awaitable[None]]) -> None:
    with suppress(OSError):
        while True:
            await attack(flooder)


async def test_a_message_of_huge_fragments_is_refused_at_its_bound(flooded: Flooded) -> None:
    flooder = await flooded.come()
    await flooder.send(client_frame(2, bytes(MESSAGE_MAX // 2), fin=False))
    await until(lambda: flooded.kept_bytes() == MESSAGE_MAX // 2)
    await flooded.place()
    await flooder.send(client_frame(0, bytes(MESSAGE_MAX // 2), fin=False))
    await until(lambda: flooded.kept_bytes() == MESSAGE_MAX)
    await flooded.place()
    await flooder.send(client_frame(0, b"x", fin=False))
    await until(lambda: flooded.room.parts.listener.counts.closed["1009"] == 1)
    assert flooded.kept_bytes() <= MESSAGE_MAX
    flooder.close()
    await flooded.nobody_is_left()


async def test_the_head_of_a_giant_frame_is_enough_to_refuse_it(flooded: Flooded) -> None:
    flooder = await flooded.come()
    await flooder.send(b"\x82\xff" + (1 << 62).to_bytes(8, "big") + bytes(4))
    await until(lambda: flooded.room.parts.listener.counts.closed["1009"] == 1)
    flooder.close()
    await flooded.nobody_is_left()


async def test_frames_that_come_a_byte_at_a_time_are_taken_and_delay_nobody(
    flooded: Flooded,
) -> None:
    flooder = await flooded.come()
    await flooder.subscribe(guest=True)
    before = flooded.room.head.seq
    for byte in client_frame(2, place_frame(*[(x, 0, 3) for x in range(5)], request=1)):
        await flooder.send(bytes([byte]))
        await flooded.place()
    await until(lambda: flooded.room.head.seq == before + flooded.placed + 5)
    flooder.close()
    await flooded.nobody_is_left()
