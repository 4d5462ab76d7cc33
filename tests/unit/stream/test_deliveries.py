"""Large snapshots: written as the socket drains, in order, and held by nobody as a whole."""

import asyncio
import random

import pytest

from server.replica import bands
from server.wire.binary_v1 import BINARY_V1
from server.wire.codec import Codec
from server.wire.codes import CloseCode
from server.wire.json_v1 import JSON_V1
from tests.support.games import placement
from tests.support.reader import Reader
from tests.support.stage import Asker, Stage

BAND_BYTES = 256
ROOM = 300


@pytest.fixture(autouse=True)
def eight_bands(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bands, "BAND_BYTES", BAND_BYTES)


@pytest.fixture
async def noisy(stage: Stage) -> Stage:
    """A board that does not deflate: eight bands of 256 bytes."""
    chance = random.Random(5)
    asker = Asker(Reader(stage.hub))
    for cell in range(4096):
        stage.game.submit(placement(cell % 64, cell // 64, chance.randrange(16)), asker)
    await stage.game.committer.drained()
    stage.hub.flush(stage.game)
    return stage


@pytest.mark.parametrize("codec", [BINARY_V1, JSON_V1])
async def test_a_snapshot_is_written_as_it_drains(noisy: Stage, codec: Codec) -> None:
    reader = Reader(noisy.hub, codec=codec, room=ROOM)
    await noisy.watch(reader)
    drains = 0
    while not reader.writable:
        assert reader.unsent <= ROOM + 2 * BAND_BYTES
        reader.drain()
        drains += 1
    assert drains >= 4
    assert noisy.agrees(reader)


async def test_nothing_of_the_game_comes_between_its_bands(noisy: Stage) -> None:
    """The reader's follower fails on a frame within a snapshot, and on an ack before its pixel."""
    reader = Reader(noisy.hub, room=ROOM)
    await noisy.watch(reader)
    while not reader.snapshots:
        await noisy.place(3, Asker(reader))
        assert not reader.acked
        reader.drain()
    reader.room = 1 << 40
    reader.drain()
    await noisy.place(1)
    assert noisy.agrees(reader)
    assert len(reader.acked) >= 3


async def test_readers_share_the_bands_that_wait_for_them(noisy: Stage) -> None:
    crowd = [Reader(noisy.hub, room=ROOM) for _ in range(50)]
    await asyncio.gather(*[noisy.watch(reader) for reader in crowd])
    written = {id(frame) for reader in crowd for frame in reader.written}
    assert len(written) == len(crowd[0].written) < 5


async def test_one_that_leaves_amid_the_bands_is_forgotten(noisy: Stage) -> None:
    reader = Reader(noisy.hub, room=ROOM)
    await noisy.watch(reader)
    waiting = asyncio.create_task(noisy.hub.refreshed(reader, noisy.game.name))
    await asyncio.sleep(0)
    assert not waiting.done()
    noisy.hub.detach(reader)
    await waiting
    written = len(reader.written)
    reader.writable = True
    noisy.hub.resume(reader)
    assert len(reader.written) == written


async def test_what_speaks_of_the_board_waits_for_its_last_band(noisy: Stage) -> None:
    reader = Reader(noisy.hub, room=ROOM)
    await noisy.watch(reader)
    waiting = asyncio.create_task(noisy.hub.refreshed(reader, noisy.game.name))
    while not reader.writable:
        await asyncio.sleep(0)
        assert not waiting.done()
        reader.drain()
    await waiting
    assert noisy.agrees(reader)


async def test_a_long_delivery_is_no_lack_of_progress(noisy: Stage) -> None:
    reader = Reader(noisy.hub, room=ROOM)
    await noisy.watch(reader)
    for _ in range(3):
        noisy.watch_over(4000)
        reader.drain()
        noisy.watch_over(1)
    assert not reader.closing
    noisy.watch_over(5001)
    assert reader.close_code is CloseCode.SLOW


async def test_a_closing_reader_gets_no_more_bands(noisy: Stage) -> None:
    reader = Reader(noisy.hub, room=ROOM)
    await noisy.watch(reader)
    reader.close(CloseCode.RESTART, "over")
    written = len(reader.written)
    reader.unsent, reader.writable = 0, True
    noisy.hub.resume(reader)
    assert len(reader.written) == written
