"""C26, and what else a reader that does not read can cost: bounded memory, and nobody else."""

import asyncio
import itertools
import socket
from typing import Any

import numpy as np
import pytest

from server.hub.subscription import Pace
from server.replica.catch_up import MAX_RECORD_BYTES
from server.replica.ring import PixelRun
from server.session.placing import MAX_UNANSWERED
from server.transport.websocket import MOST_ACKS, WebSocket
from tests.support.bare import Bare, bare
from tests.support.clock import FakeClock
from tests.support.foreign import BINARY, GAME, JSON, Foreign, place_frame
from tests.support.serving import Serving, serving
from tests.support.sockets import until
from tests.support.wire import Pixels

SECONDS, RATE, A_FRAME = 60, 1000, 50
PATIENT: dict[str, Any] = {"ping_ms": 55_000, "slow_timeout": 3600.0, "tick_min_ms": 1}
"""Nobody is closed for not reading, so that it costs what it costs for all of the time."""
LIMIT, KERNEL = 16_384, 8_192
FRAME_MAX = 20_000
"""A publication, or a board of 200 x 200 in one band; here none is larger."""


def held_bytes(connection: WebSocket) -> int:
    """What is kept in this process for one connection, and for nobody else."""
    inbox = connection._inbox
    acks = sum(map(len, connection.acks))
    return connection.buffered_bytes() + acks + len(inbox._data) + len(inbox._fragments or b"")


def connection_of(room: Serving, earlier: set[WebSocket]) -> WebSocket:
    (connection,) = room.parts.listener.live - earlier
    return connection


async def test_the_bounds_of_a_socket_are_as_configured() -> None:
    async with serving(write_limit=LIMIT, send_buffer=KERNEL) as room, room.dial():
        (connection,) = room.parts.listener.live
        transport = connection._transport
        assert transport.get_write_buffer_limits()[1] == LIMIT
        kernel = transport.get_extra_info("socket").getsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF)
        assert kernel == 2 * KERNEL, "Linux doubles what is asked for"


async def paint(painter: Foreign, places: "itertools.count[int]") -> None:
    """Place a frame in a busy corner."""
    placed = itertools.islice(places, A_FRAME)
    cells = [(place % 40, place // 40 % 25, place // 1000 % 16) for place in placed]
    assert all(ack.status == 0 for ack in await painter.put(*cells))


async def test_c26_one_that_never_reads_costs_bounded_memory_and_nobody_else_anything() -> None:
    """A minute at 1,000 px/s: each frame is acknowledged before the next one is placed."""
    clock, places = FakeClock(), itertools.count()
    bounds: dict[str, Any] = {"write_limit": LIMIT, "send_buffer": KERNEL}
    async with (
        serving(clock=clock, size=(200, 200), **PATIENT, **bounds) as room,
        room.dial() as painter,
        room.dial() as watcher,
    ):
        await painter.play()
        await watcher.play(guest=False)
        earlier = set(room.parts.listener.live)
        async with bare(room.port, receive_buffer=4096) as stalled:
            connection = connection_of(room, earlier)
            await stalled.say("subscribe", guest=False, games=[{"game": GAME}])
            await until(lambda: room.services.hub.watchers(GAME) == 3)
            most = await a_minute(clock, painter, places, connection)
            assert not connection.writable
            assert most <= LIMIT + FRAME_MAX
            seq = room.head.seq
            told = await nothing_is_made_for_it(room, painter, places, connection)
            assert await watcher.in_step_by_checksum()
            assert await painter.in_step_by_checksum()
            pixels = [one for one in watcher.heard if isinstance(one, Pixels) and one.first > seq]
            assert told == 2 * len(pixels) > 0, "to the two who read, each publication once"
            await it_reads_at_last(room, stalled)


async def a_minute(
    clock: FakeClock, painter: Foreign, places: "itertools.count[int]", connection: WebSocket
) -> int:
    """Place for a minute; the most that was held for the connection."""
    most = 0
    for _ in range(SECONDS):
        for _ in range(RATE // A_FRAME):
            await paint(painter, places)
            most = max(most, held_bytes(connection))
        clock.advance(1000)
    return most


async def nothing_is_made_for_it(
    room: Serving, painter: Foreign, places: "itertools.count[int]", connection: WebSocket
) -> int:
    """From when it is full on: nothing is written to it, merged for it or encoded for it."""
    traffic = room.parts.log.metrics.traffic
    assert room.services.hub.readers() == {Pace.LIVE: 2, Pace.LAGGING: 1, Pace.PACED: 0}
    before = held_bytes(connection), traffic.catch_ups.deliveries, traffic.catch_ups_encoded
    told = traffic.pixels.deliveries
    for _ in range(20):
        await paint(painter, places)
    after = held_bytes(connection), traffic.catch_ups.deliveries, traffic.catch_ups_encoded
    assert after == before
    return traffic.pixels.deliveries - told


async def it_reads_at_last(room: Serving, stalled: Bare) -> None:
    """One that was a minute behind is in step after what was on its way, and one catch-up."""
    traffic = room.parts.log.metrics.traffic
    caught_up = traffic.catch_ups.deliveries
    while room.services.hub.readers()[Pace.LAGGING]:
        await stalled.frame()
    assert traffic.catch_ups.deliveries == caught_up + 1


def scatter(room: Serving, count: int, side: int) -> None:
    """Publish pixels all over the board, as if they had been placed and committed."""
    chance = np.random.default_rng(3)
    x, y, color = (chance.integers(0, bound, count, np.uint32) for bound in (side, side, 16))
    records = (x | y << np.uint32(13) | color << np.uint32(26)).astype("<u4").tobytes()
    replica = room.game.replica
    replica.apply_segment(PixelRun(replica.seq + 1, replica.seq + count, 0, records))


@pytest.mark.parametrize(("codec", "record_bytes"), [(BINARY, 4), (JSON, 15)])
@pytest.mark.parametrize("since", [1, None])
async def test_the_most_that_a_reader_holds_is_one_answer_above_its_limit(
    codec: str, record_bytes: int, since: int | None
) -> None:
    """The largest catch-up, or a board that does not deflate: asked for and never read."""
    bounds: dict[str, Any] = {"write_limit": LIMIT, "send_buffer": KERNEL, "ring_events": 200_000}
    async with (
        serving(size=(2000, 2000), **PATIENT, **bounds) as room,
        bare(room.port, receive_buffer=4096, codec=codec) as stalled,
    ):
        (connection,) = room.parts.listener.live
        scatter(room, 120_000, 2000)
        games: list[dict[str, Any]] = [{"game": GAME}]
        if since is not None:
            games[0]["since"] = {"epoch": room.game.epoch, "seq": since}
        await stalled.say("subscribe", guest=False, games=games)
        await until(lambda: not connection.writable)
        held = held_bytes(connection)
        for request in range(3):
            await stalled.say("resync", game=GAME, request=request)
        assert LIMIT < held <= LIMIT + MAX_RECORD_BYTES // 4 * record_bytes
        assert held_bytes(connection) == held, "it is not read either"


async def test_acks_that_wait_for_a_pace_are_bounded() -> None:
    """Who asked for a frame a minute and places without end is read on as its acks go out."""
    frames, clock = 40, FakeClock()
    async with (
        serving(clock=clock, size=(64, 64), **PATIENT) as room,
        room.dial() as painter,
    ):
        (connection,) = room.parts.listener.live
        await painter.play(minIntervalMs=60_000)
        async with room.dial() as other:
            await other.play()
            for number in range(frames):
                cells = [(x, number, number % 16) for x in range(64)]
                await painter.socket.send(place_frame(*cells, request=number))
            acks = asyncio.create_task(painter.acks(64 * frames))
            await until(lambda: connection.held)
            for x in range(64):
                await room.published()
                assert len(connection.acks) <= MOST_ACKS + MAX_UNANSWERED + 64
                if acks.done():
                    break
                clock.advance(60_000)
                await other.put((x, 63, 1))
            assert len(await acks) == 64 * frames
        assert await painter.in_step_by_checksum()
