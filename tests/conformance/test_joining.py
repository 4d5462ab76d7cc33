"""C10, C24: a crowd that joins, or comes back at once, and large boards, over TLS too."""

import asyncio
import threading
from contextlib import AsyncExitStack
from pathlib import Path

import numpy as np
import pytest

from server.replica import bands, snapshots
from server.replica.bands import BAND_BYTES, deflate
from tests.support.certificates import make_pair
from tests.support.foreign import Foreign, dialled
from tests.support.serving import Serving, serving
from tests.support.sockets import until

CROWD = 200
"""A tenth of the case's scale: its boards and catch-ups are counted, not timed."""
PLACERS = 50


async def crowd(room: Serving, lines: AsyncExitStack, count: int) -> list[Foreign]:
    """So many sockets, opened at once."""
    return list(
        await asyncio.gather(*[lines.enter_async_context(room.dial()) for _ in range(count)])
    )


async def cut(room: Serving, members: list[Foreign]) -> None:
    """Cut them all in one turn, without a close frame."""
    for member in members:
        member.socket.transport.abort()
    await until(lambda: room.online == 1)


async def test_c24_a_crowd_that_is_cut_at_once_shares_what_it_resumes_with() -> None:
    async with serving(size=(200, 200)) as room, room.dial() as painter, AsyncExitStack() as lines:
        await painter.play()
        members = await crowd(room, lines, CROWD)
        await asyncio.gather(*[member.play() for member in members])
        traffic = room.parts.log.metrics.traffic
        boards, catch_ups = traffic.snapshots_encoded, traffic.catch_ups_encoded
        assert boards == 1, "one board for all who joined"
        await cut(room, members)
        for x in range(10):
            await painter.put((x, 0, 3))
        back = await crowd(room, lines, CROWD)
        epoch = painter.follower.epoch
        for old, new in zip(members, back, strict=True):
            board = old.follower.board
            assert board is not None
            new.follower.start_at(board, 0, 0, epoch)
        since = {"epoch": epoch, "seq": 0}
        replies = await asyncio.gather(*[member.play(since=since) for member in back])
        assert {reply["games"][0]["resume"] for reply in replies} == {"events"}
        assert all(await asyncio.gather(*[member.in_step_by_checksum() for member in back]))
        assert traffic.snapshots_encoded == boards, "and none for those who resumed"
        assert traffic.catch_ups_encoded == catch_ups + 1


async def test_c10_the_largest_board_is_encoded_while_everybody_else_is_served(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """It is not done before fifty have placed and got their acks; on the loop it never would be."""
    began, served = threading.Event(), threading.Event()

    def late(band: bands.RawBand, board_bytes: int) -> bands.Band:
        began.set()
        assert served.wait(60), "the loop stood still while a board was encoded"
        return deflate(band, board_bytes)

    async with serving(size=(8000, 8000)) as room, AsyncExitStack() as lines:
        placers = await crowd(room, lines, PLACERS)
        for placer in placers:
            assert (await placer.ask("subscribe", guest=True))["ok"]
        monkeypatch.setattr(snapshots, "deflate", late)
        joiner = await lines.enter_async_context(room.dial())
        joining = asyncio.create_task(joiner.play())
        await until(began.is_set)
        for x, placer in enumerate(placers):
            assert (await placer.place(x, x, 5))["ok"]
            assert (await placer.ask("ping"))["ok"]
        assert not joining.done()
        served.set()
        await joining
        assert await joiner.in_step_by_checksum()


async def test_a_large_board_goes_out_as_it_is_taken_over_tls_too(tmp_path: Path) -> None:
    """Noise of 8 MB, which no codec makes smaller, to one who does not read for a while."""
    pair, limit = make_pair(tmp_path), 16_384
    async with serving(
        size=(4000, 4000), tls_cert=pair.cert, tls_key=pair.key, write_limit=limit
    ) as room:
        packed = room.game.replica.board.packed
        packed[:] = np.random.default_rng(1).integers(0, 256, packed.shape, np.uint8)
        url, trusting = f"wss://127.0.0.1:{room.port}/ws", pair.trusting()
        async with dialled(url, ssl=trusting) as reader:
            (connection,) = room.parts.listener.live
            reader.socket.transport.pause_reading()
            joining = asyncio.create_task(reader.play())
            await until(lambda: not connection.writable)
            async with dialled(url, ssl=trusting) as other:
                await other.ask("subscribe", guest=True)
                assert (await other.place(5, 5, 7))["ok"]
            assert not joining.done()
            assert connection.buffered_bytes() <= limit + BAND_BYTES + 100
            reader.socket.transport.resume_reading()
            await joining
            assert await reader.in_step_by_checksum()
