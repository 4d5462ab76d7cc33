"""The hub and readers that lag or ask for a pace: merged, bounded, and closed in the end."""

from server.wire.codes import CloseCode
from tests.support.reader import Reader
from tests.support.sockets import until
from tests.support.stage import Asker, Stage


async def test_a_full_socket_is_left_out_and_caught_up_with_one_frame(stage: Stage) -> None:
    reader = Reader(stage.hub)
    await stage.watch(reader)
    reader.read()
    reader.room = reader.unsent + 100
    for _ in range(200):
        await stage.place(10, spread=30)
    held = reader.unsent
    assert held < reader.room + 200, "the buffer of a slow reader stays bounded"
    reader.frames = 0
    reader.drain()
    assert stage.agrees(reader)
    assert reader.frames <= 5


async def test_acks_of_a_slow_reader_wait_for_its_catch_up(stage: Stage) -> None:
    reader = Reader(stage.hub)
    await stage.watch(reader)
    reader.drain()
    reader.room = 0
    await stage.place(1)
    assert not reader.writable
    await stage.place(1, Asker(reader))
    assert len(reader.acks) == 1
    reader.room = 1 << 40
    reader.drain()
    reader.read()
    assert [ack.seq for ack in reader.acked] == [2]


async def overtaken_by_the_ring(stage: Stage) -> Reader:
    """A reader whose socket has just drained, and from whose seq no event leads on."""
    reader = Reader(stage.hub)
    await stage.watch(reader)
    reader.drain()
    reader.room = 0
    for _ in range(4):
        await stage.place(4096)
    reader.room = 1 << 40
    reader.drain()
    return reader


async def test_a_slow_reader_from_before_the_ring_gets_a_snapshot() -> None:
    stage = Stage(ring_events=50)
    reader = await overtaken_by_the_ring(stage)
    await until(lambda: bool(reader.written))
    assert stage.agrees(reader)
    assert reader.snapshots == 2
    await stage.place(10)
    assert stage.agrees(reader)
    await stage.stop()


async def test_one_that_never_catches_up_is_closed(stage: Stage) -> None:
    reader = Reader(stage.hub)
    await stage.watch(reader)
    reader.drain()
    reader.room = 0
    await stage.place(1)
    stage.watch_over(5000)
    assert not reader.closing
    stage.watch_over(1)
    assert reader.close_code is CloseCode.SLOW


async def test_a_stall_of_the_process_is_held_against_no_reader(stage: Stage) -> None:
    reader = Reader(stage.hub)
    await stage.watch(reader)
    reader.drain()
    reader.room = 0
    await stage.place(1)
    stage.watch_over(2000)
    stage.clock.advance(60_000)
    stage.hub.sweep()
    assert not reader.closing, "2 of its 5 seconds have passed, and 2 at most of the stall"
    reader.room = 1 << 40
    reader.drain()
    assert stage.agrees(reader)


async def test_who_still_does_not_read_after_a_stall_is_closed(stage: Stage) -> None:
    reader = Reader(stage.hub)
    await stage.watch(reader)
    reader.drain()
    stage.clock.advance(60_000)
    reader.room = 0
    await stage.place(1)
    stage.hub.sweep()
    stage.watch_over(5000)
    assert not reader.closing, "it began to lag after the stall"
    stage.watch_over(1)
    assert reader.close_code is CloseCode.SLOW


async def test_one_that_drains_but_stays_behind_is_closed(stage: Stage) -> None:
    reader = Reader(stage.hub)
    await stage.watch(reader)
    reader.drain()
    reader.room = 0
    await stage.place(5)
    for _ in range(7):
        await stage.place(5)
        reader.drain()
        stage.clock.advance(1000)
        stage.hub.sweep()
    assert reader.close_code is CloseCode.SLOW


async def test_a_first_snapshot_may_take_as_long_as_it_moves(stage: Stage) -> None:
    await stage.place(4000)
    reader = Reader(stage.hub, room=0)
    await stage.watch(reader)
    for _ in range(20):
        reader.unsent -= 10
        stage.clock.advance(1000)
        stage.hub.sweep()
    assert not reader.closing
    reader.room = 1 << 40
    reader.drain()
    assert stage.agrees(reader)


async def test_a_first_snapshot_does_not_take_for_ever_byte_by_byte(stage: Stage) -> None:
    await stage.place(4000)
    reader = Reader(stage.hub, room=0)
    await stage.watch(reader)
    for _ in range(20):
        reader.unsent -= 1
        stage.clock.advance(1000)
        stage.hub.sweep()
    assert reader.close_code is CloseCode.SLOW


async def test_a_paced_reader_gets_merged_frames_at_its_pace(stage: Stage) -> None:
    reader = Reader(stage.hub)
    await stage.watch(reader, interval_ms=1000)
    reader.read()
    reader.frames = 0
    for _ in range(10):
        await stage.place(5, spread=8)
        stage.clock.advance(99)
    reader.read()
    assert reader.frames == 0
    stage.clock.advance(100)
    await stage.place(1)
    assert stage.agrees(reader)
    assert reader.frames == 1


async def test_acks_of_a_paced_placer_follow_its_frame(stage: Stage) -> None:
    reader = Reader(stage.hub)
    await stage.watch(reader, interval_ms=1000)
    reader.read()
    await stage.place(1, Asker(reader))
    reader.read()
    assert reader.acked == []
    stage.hub.catch_up(reader)
    reader.read()
    assert [ack.seq for ack in reader.acked] == [1]
    assert stage.agrees(reader)


async def test_a_pace_is_changed_for_what_is_watched(stage: Stage) -> None:
    reader = Reader(stage.hub)
    await stage.watch(reader)
    stage.hub.pace(reader, 1000)
    await stage.place(1)
    assert not stage.agrees(reader)
    stage.hub.pace(reader, 0)
    assert stage.agrees(reader)
    await stage.place(1)
    assert stage.agrees(reader)


async def test_acks_that_waited_follow_a_resync(stage: Stage) -> None:
    reader = Reader(stage.hub)
    await stage.watch(reader, interval_ms=1000)
    reader.read()
    await stage.place(1, Asker(reader))
    await stage.watch(reader, interval_ms=1000)
    assert stage.agrees(reader)
    assert [ack.seq for ack in reader.acked] == [1]


async def test_acks_that_waited_follow_a_change_of_pace(stage: Stage) -> None:
    reader = Reader(stage.hub)
    await stage.watch(reader, interval_ms=1000)
    reader.read()
    await stage.place(1, Asker(reader))
    stage.hub.pace(reader, 0)
    assert stage.agrees(reader)
    assert [ack.seq for ack in reader.acked] == [1]


async def test_acks_that_waited_follow_a_fresh_snapshot() -> None:
    stage = Stage(ring_events=50)
    reader = await overtaken_by_the_ring(stage)
    await stage.place(1, Asker(reader))
    assert reader.acked == []
    await until(lambda: bool(reader.written))
    assert stage.agrees(reader)
    assert len(reader.acked) == 1
    await stage.stop()
