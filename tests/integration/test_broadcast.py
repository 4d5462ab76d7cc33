"""Both ways of a broadcast with real sockets: the same bytes in the same order, slow ones too."""

import asyncio
import itertools
import socket
from collections.abc import Sequence
from contextlib import AsyncExitStack
from pathlib import Path

import pytest

from server.transport.io_uring import Ring, Taken
from tests.support.certificates import make_pair
from tests.support.foreign import Foreign, dialled
from tests.support.serving import Serving, serving
from tests.support.sockets import until

WATCHERS = 12
ROUNDS = 40


@pytest.fixture
def submitted(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """How many sockets each submission was for."""
    counts: list[int] = []
    send = Ring.send

    def counted(ring: Ring, fds: Sequence[int], frame: bytes) -> Taken:
        counts.append(len(fds))
        return send(ring, fds, frame)

    monkeypatch.setattr(Ring, "send", counted)
    try:
        Ring(8).close()
    except OSError as error:
        pytest.skip(f"io_uring is not to be had here: {error}")
    return counts


async def watchers(room: Serving, lines: AsyncExitStack) -> list[Foreign]:
    crowd = [await lines.enter_async_context(room.dial()) for _ in range(WATCHERS)]
    for one in crowd:
        await one.play()
    return crowd


async def paint(painter: Foreign, places: "itertools.count[int]") -> None:
    cells = [
        (place % 200, place // 200 % 200, place % 16) for place in itertools.islice(places, 50)
    ]
    assert all(ack.status == 0 for ack in await painter.put(*cells))


@pytest.mark.parametrize("wanted", [True, False])
async def test_everybody_sees_the_same_board_either_way(submitted: list[int], wanted: bool) -> None:
    async with serving(size=(200, 200), io_uring=wanted) as room, AsyncExitStack() as lines:
        submitted.clear()
        painter, *crowd = await watchers(room, lines)
        places = itertools.count()
        for _ in range(ROUNDS):
            await paint(painter, places)
        for one in crowd:
            assert await one.in_step_by_checksum()
    assert bool(submitted) == wanted


async def test_one_that_stalls_gets_all_in_order_and_others_do_not_wait(
    submitted: list[int],
) -> None:
    async with (
        serving(size=(200, 200), write_limit=4_096, send_buffer=4_096) as room,
        AsyncExitStack() as lines,
    ):
        painter, stalled, *crowd = await watchers(room, lines)
        places = itertools.count()
        its = stalled.socket.transport.get_extra_info("socket")
        its.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4_096)
        stalled.socket.transport.pause_reading()
        connections = room.parts.listener.live
        for _ in range(2_000):
            await paint(painter, places)
            if not all(connection.writable for connection in connections):
                break
        assert [connection.writable for connection in connections].count(False) == 1
        for one in crowd:
            assert await one.in_step_by_checksum()
        stalled.socket.transport.resume_reading()
        assert await stalled.in_step_by_checksum()
    assert max(submitted) >= WATCHERS - 3


async def test_those_who_hang_up_in_the_middle_harm_nobody(submitted: list[int]) -> None:
    async with serving(size=(200, 200)) as room, AsyncExitStack() as lines:
        painter, *crowd = await watchers(room, lines)
        places = itertools.count()
        for one in crowd[:6]:
            one.socket.transport.abort()
            await asyncio.gather(*[paint(painter, places) for _ in range(1)])
        # Whoever comes now may be given the numbers of those sockets.
        others = await watchers(room, lines)
        for _ in range(5):
            await paint(painter, places)
        for one in [*crowd[6:], *others]:
            assert await one.in_step_by_checksum()
        await until(lambda: room.online == 1 + len(crowd) - 6 + WATCHERS)
    assert submitted


async def test_over_tls_nobody_else_writes(submitted: list[int], tmp_path: Path) -> None:
    pair = make_pair(tmp_path)
    async with (
        serving(size=(200, 200), tls_cert=pair.cert, tls_key=pair.key) as room,
        AsyncExitStack() as lines,
    ):
        submitted.clear()
        url, trusting = f"wss://127.0.0.1:{room.port}/ws", pair.trusting()
        crowd = [
            await lines.enter_async_context(dialled(url, ssl=trusting)) for _ in range(WATCHERS)
        ]
        for one in crowd:
            await one.play()
        assert {connection.free_fd() for connection in room.parts.listener.live} == {-1}
        await paint(crowd[0], itertools.count())
        for one in crowd:
            assert await one.in_step_by_checksum()
    assert submitted == []
