"""A publication that takes several turns of the loop: what may happen before it has come around."""

import asyncio
from collections.abc import AsyncIterator
from typing import NamedTuple

import pytest

from server.hub.walk import AT_ONCE
from tests.support.games import NAME, placement
from tests.support.reader import Reader
from tests.support.stage import Asker, Stage

CROWD = 3 * AT_ONCE


class Scene(NamedTuple):
    """A crowd of which a part has been told of one pixel, and the rest has not."""

    stage: Stage
    told: list[Reader]
    untold: list[Reader]


async def turns(count: int) -> None:
    for _ in range(count):
        await asyncio.sleep(0)


async def halfway(stage: Stage) -> Scene:
    """Commit a pixel and let the walk come to some of the crowd."""
    crowd = [Reader(stage.hub) for _ in range(CROWD)]
    for reader in crowd:
        await stage.watch(reader)
        reader.read()
    stage.game.submit(placement(1, 1, 1), Asker(crowd[0]))
    await stage.game.committer.drained()
    for _ in range(10):
        if any(reader.written for reader in crowd):
            break
        await asyncio.sleep(0)
    told = [reader for reader in crowd if reader.written]
    return Scene(stage, told, [reader for reader in crowd if not reader.written])


@pytest.fixture
async def stage() -> AsyncIterator[Stage]:
    made = Stage(turn=0.0)
    yield made
    await made.stop()


async def test_others_get_a_turn_before_everybody_is_told(stage: Stage) -> None:
    scene = await halfway(stage)
    assert (len(scene.told), len(scene.untold)) == (AT_ONCE, CROWD - AT_ONCE)
    await turns(3)
    assert all(stage.agrees(reader) for reader in scene.told + scene.untold)


async def test_an_ack_waits_for_the_pixel_of_its_own_walk(stage: Stage) -> None:
    scene = await halfway(stage)
    (placer,) = [reader for reader in scene.told + scene.untold if reader.acks]
    stage.hub.flush_acks(placer)
    assert placer.acks, "its pixel has not been told to it"
    await turns(3)
    placer.read()
    assert [ack.seq for ack in placer.acked] == [1]
    assert placer.seq == 1


async def test_one_that_fills_up_meanwhile_is_caught_up_from_before(stage: Stage) -> None:
    scene = await halfway(stage)
    slow = scene.untold[0]
    slow.writable = False
    stage.hub.pause(slow)
    await turns(3)
    assert slow.written == []
    slow.drain()
    assert stage.agrees(slow)


async def test_one_that_asks_for_a_pace_meanwhile_misses_nothing(stage: Stage) -> None:
    scene = await halfway(stage)
    paced = scene.untold[0]
    stage.hub.pace(paced, 1000)
    assert stage.agrees(paced)
    await turns(3)
    assert stage.agrees(paced)


async def test_one_that_asks_for_a_checksum_is_told_first(stage: Stage) -> None:
    scene = await halfway(stage)
    stage.hub.catch_up(scene.untold[0])
    assert stage.agrees(scene.untold[0])


async def test_one_that_leaves_meanwhile_is_told_nothing(stage: Stage) -> None:
    scene = await halfway(stage)
    gone, stopped = scene.untold[1:3]
    stage.hub.detach(gone)
    stage.hub.stop(stopped, NAME)
    await turns(3)
    assert gone.written == stopped.written == []


async def test_one_that_subscribes_anew_meanwhile_is_told_once(stage: Stage) -> None:
    scene = await halfway(stage)
    again = scene.untold[0]
    await stage.watch(again)
    await turns(3)
    assert stage.agrees(again)
    assert again.snapshots == 2


async def test_what_is_committed_meanwhile_follows_in_order(stage: Stage) -> None:
    scene = await halfway(stage)
    stage.game.submit(placement(2, 2, 2), Asker(scene.untold[0]))
    await stage.game.committer.drained()
    await turns(3)
    stage.hub.flush(stage.game)
    for reader in scene.told + scene.untold:
        assert stage.agrees(reader)
        assert reader.seq == 2


async def test_a_flush_now_ends_the_walk_first(stage: Stage) -> None:
    scene = await halfway(stage)
    stage.game.submit(placement(2, 2, 2), Asker(scene.untold[0]))
    await stage.game.committer.drained()
    stage.hub.flush(stage.game)
    for reader in scene.told + scene.untold:
        assert stage.agrees(reader)
        assert reader.seq == 2
    await turns(5)
    assert all(not reader.written for reader in scene.told + scene.untold)
