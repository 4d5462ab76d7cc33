"""Readers with a pace of their own: a flush costs those who are due."""

import gc
from types import FrameType

from server.hub.paces import STALE_AT_LEAST, Paces
from server.hub.subscription import Pace, Subscription
from tests.support.connections import FakeConnection
from tests.support.reader import Reader
from tests.support.stage import Stage


def paced(due_ms: int, seq: int = 0) -> Subscription:
    return Subscription(FakeConnection(), "place#main", Pace.PACED, 1000, seq, due_ms)


def test_who_is_due_is_taken_once_and_the_others_stay() -> None:
    paces = Paces()
    late, soon = paced(300), paced(100)
    paces.add(late)
    paces.add(soon)
    assert paces.next_due_ms() == 100
    assert paces.take_due(99, 1) == []
    assert paces.take_due(100, 1) == [soon]
    assert paces.take_due(200, 2) == []
    assert paces.next_due_ms() == 300
    assert len(paces) == 2


def test_who_knows_all_rests_until_there_is_more() -> None:
    paces = Paces()
    reader = paced(100, seq=5)
    paces.add(reader)
    assert paces.take_due(100, 5) == []
    assert paces.next_due_ms() is None, "no timer while nothing is published"
    assert paces.take_due(900, 5) == []
    assert paces.take_due(901, 6) == [reader]
    assert paces.take_due(902, 7) == [], "not before it is added again"


def test_who_rests_and_leaves_or_is_told_ahead_is_not_due() -> None:
    paces = Paces()
    gone, told = paced(100, seq=5), paced(100, seq=5)
    for each in (gone, told):
        paces.add(each)
    assert paces.take_due(100, 5) == []
    paces.discard(gone.connection)
    told.due_ms = 1100
    paces.add(told)
    assert paces.take_due(101, 6) == []
    assert paces.take_due(1100, 6) == [told]
    assert len(paces) == 1


def test_only_the_newest_time_of_a_reader_counts() -> None:
    paces = Paces()
    reader = paced(100)
    paces.add(reader)
    reader.due_ms = 500
    paces.add(reader)
    assert paces.next_due_ms() == 500
    assert paces.take_due(499, 1) == []
    assert paces.take_due(500, 1) == [reader]


def test_whoever_changes_its_pace_again_and_again_fills_nothing() -> None:
    paces = Paces()
    reader = paced(3_600_000)
    for _ in range(10_000):
        paces.add(reader)
    assert len(paces._heap) <= 2 * len(paces) + STALE_AT_LEAST + 1
    paces.discard(reader.connection)
    assert paces.next_due_ms() is None


def test_nobody_who_is_gone_is_held_on_to() -> None:
    paces = Paces()
    gone = paced(3_600_000)
    paces.add(gone)
    paces.discard(gone.connection)
    assert [one for one in gc.get_referrers(gone) if not isinstance(one, FrameType)] == []


async def test_a_flush_looks_at_those_who_are_due_alone(stage: Stage) -> None:
    looked_at: list[Subscription] = []
    readers = [Reader(stage.hub) for _ in range(50)]
    for number, reader in enumerate(readers, start=1):
        await stage.watch(reader, interval_ms=1000 * number)
    channel = stage.hub._channels[stage.game.name]
    advance = channel.advance

    def noting(subscription: Subscription) -> None:
        looked_at.append(subscription)
        advance(subscription)

    channel.advance = noting  # type: ignore[method-assign]
    for _ in range(20):
        await stage.place(1)
    assert looked_at == []
    stage.clock.advance(3000)
    await stage.place(1)
    assert [one.interval_ms for one in looked_at] == [1000, 2000, 3000]
    assert all(stage.agrees(reader) for reader in readers[:3])
