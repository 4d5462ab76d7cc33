"""What the hub hands to connections is counted by kind, once for all who get the same frame."""

import asyncio

from server.asking import Position
from server.hub.subscription import Pace
from server.hub.walk import AT_ONCE
from server.telemetry.traffic import Flow
from server.wire.json_v1 import JSON_V1
from tests.support.games import placement
from tests.support.reader import Reader
from tests.support.stage import Asker, Stage

SOME = AT_ONCE + 3


def counted(flow: Flow) -> tuple[int, int]:
    return flow.deliveries, flow.size_bytes


def told(*crowd: Reader) -> tuple[int, int]:
    """How many writes came to a crowd, and how many bytes they were."""
    frames = [frame for reader in crowd for frame in reader.written]
    return len(frames), sum(map(len, frames))


def lags(stage: Stage) -> list[int]:
    """Milliseconds, of each flush that had anything to tell."""
    return [round(flush.lag * 1000) for flush in stage.flushes if flush.lag is not None]


async def crowd(stage: Stage, size: int = SOME) -> list[Reader]:
    """Readers of both codecs, who have the board already."""
    readers = [Reader(stage.hub) for _ in range(size)]
    readers += [Reader(stage.hub, codec=JSON_V1) for _ in range(size)]
    for reader in readers:
        await stage.watch(reader, mode="none")
    return readers


async def test_a_frame_counts_for_each_who_gets_it_in_the_bytes_of_its_codec(stage: Stage) -> None:
    readers = await crowd(stage)
    await stage.place(5)
    assert counted(stage.traffic.pixels) == told(*readers)
    assert stage.traffic.pixels.deliveries == 2 * SOME


async def test_acks_count_by_themselves(stage: Stage) -> None:
    placer = Reader(stage.hub)
    await stage.watch(placer, mode="none")
    await stage.place(3, Asker(placer))
    pixels, acks = stage.traffic.pixels, stage.traffic.acks
    assert (pixels.deliveries, acks.deliveries) == (1, 3)
    assert pixels.size_bytes + acks.size_bytes == told(placer)[1]


async def test_acks_of_one_who_does_not_watch_count_too(stage: Stage) -> None:
    placer = Reader(stage.hub)
    await stage.place(2, Asker(placer))
    assert counted(stage.traffic.acks) == (2, told(placer)[1])


async def test_a_board_is_encoded_once_and_sent_to_each(stage: Stage) -> None:
    await stage.place(10)
    readers = [Reader(stage.hub) for _ in range(4)]
    await asyncio.gather(*[stage.watch(reader) for reader in readers])
    assert (stage.traffic.snapshots_encoded, stage.traffic.snapshots_delivered) == (1, 4)
    assert counted(stage.traffic.snapshots) == told(*readers)


async def test_a_catch_up_is_made_once_and_sent_to_each(stage: Stage) -> None:
    await stage.place(100)
    since = Position(stage.game.epoch, 10)
    readers = [Reader(stage.hub) for _ in range(4)]
    for reader in readers:
        await stage.watch(reader, since)
    assert stage.traffic.catch_ups_encoded == 1
    assert counted(stage.traffic.catch_ups) == told(*readers)


async def test_readers_are_counted_by_pace(stage: Stage) -> None:
    await stage.watch(Reader(stage.hub))
    await stage.watch(Reader(stage.hub, codec=JSON_V1))
    await stage.watch(Reader(stage.hub), interval_ms=1000)
    slow = Reader(stage.hub)
    await stage.watch(slow)
    slow.writable = False
    stage.hub.pause(slow)
    assert stage.hub.readers() == {Pace.LIVE: 2, Pace.PACED: 1, Pace.LAGGING: 1}


async def test_the_lag_runs_from_the_first_commit_to_the_last_who_is_told() -> None:
    stage = Stage(turn=0.0)
    readers = await crowd(stage)
    stage.game.submit(placement(1, 1, 1), Asker(readers[0]))
    await stage.game.committer.drained()
    stage.clock.advance(40)
    stage.hub.flush(stage.game)
    assert lags(stage) == [40]
    await stage.stop()


async def test_a_commit_during_a_walk_is_of_the_next_publication() -> None:
    stage = Stage(turn=0.0)
    readers = await crowd(stage, 20 * AT_ONCE)
    stage.game.submit(placement(1, 1, 1), Asker(readers[0]))
    await stage.game.committer.drained()
    await asyncio.sleep(0)
    assert any(reader.written for reader in readers)
    stage.clock.advance(10)
    stage.game.committer.stop()  # so that it does not wait for more to commit
    stage.game.submit(placement(2, 2, 2), Asker(readers[0]))
    await stage.game.committer.drained()
    stage.clock.advance(10)
    stage.hub.flush(stage.game)
    assert lags(stage) == [20, 10]
    await stage.stop()


async def test_what_is_published_tells_how_long_it_was_decided(stage: Stage) -> None:
    stage.game.submit(placement(1, 1, 1), Asker(Reader(stage.hub)))
    stage.clock.advance(25)
    await stage.game.committer.drained()
    stage.hub.flush(stage.game)
    assert stage.game.waited_ms == 25
