"""A base picture in the stream: told to those in step, a snapshot for everybody else."""

import asyncio
from typing import Any

import pytest

from canvas.base import UNTOUCHED
from persistence.errors import PermanentFault, TransientFault
from server.asking import Position
from server.wire.binary_v1 import BINARY_V1
from server.wire.codec import Codec
from server.wire.json_v1 import JSON_V1
from tests.support.games import laid_on, placement
from tests.support.reader import Reader
from tests.support.stage import Asker, Stage

ROWS = [[1, 2, UNTOUCHED, 3]] * 5


async def imported(stage: Stage, changes: dict[str, Any] | None = None) -> int:
    """Lay the picture and publish it; its seq."""
    laid = laid_on(stage.game, ROWS, 3, 1)
    laying = asyncio.create_task(stage.game.lay(laid, "blob", 5, "op", changes))
    await asyncio.sleep(0)
    await stage.game.committer.drained()
    stage.hub.flush(stage.game)
    return (await laying).seq


@pytest.mark.parametrize("codec", [BINARY_V1, JSON_V1])
async def test_those_in_step_are_told_and_ask_for_the_board(stage: Stage, codec: Codec) -> None:
    readers = [Reader(stage.hub, codec=codec) for _ in range(3)]
    for reader in readers:
        await stage.watch(reader)
    await stage.place(10)
    seq = await imported(stage)
    await stage.place(10)
    for reader in readers:
        reader.read()
        assert reader.events[-1 if codec is BINARY_V1 else -2] == {
            "event": "base",
            "game": "place#main",
            "seq": seq,
            "generation": 0,
        }
        assert (reader.is_lost, reader.snapshots) == (True, 1)
    await asyncio.gather(*[stage.watch(reader) for reader in readers])
    assert all(stage.agrees(reader) for reader in readers)


async def test_a_crowd_that_asks_shares_one_snapshot(
    stage: Stage, monkeypatch: pytest.MonkeyPatch
) -> None:
    from server.replica import snapshots

    readers = [Reader(stage.hub) for _ in range(50)]
    for reader in readers:
        await stage.watch(reader)
    await imported(stage)
    encodings: list[int] = []
    encode = snapshots.encode

    def counted(*args: Any) -> Any:
        encodings.append(1)
        return encode(*args)

    monkeypatch.setattr(snapshots, "encode", counted)
    await asyncio.gather(*[stage.watch(reader) for reader in readers])
    assert all(stage.agrees(reader) for reader in readers)
    assert len(encodings) == 1


async def test_a_resume_over_a_base_gets_a_snapshot(stage: Stage) -> None:
    await stage.place(70)
    before = stage.game.replica.seq
    seq = await imported(stage)
    await stage.place(3)
    over = Position(stage.game.epoch, before)
    reader = Reader(stage.hub)
    assert await stage.watch(reader, over) == "snapshot"
    assert stage.agrees(reader)
    late = Reader(stage.hub)
    assert await stage.watch(late, Position(stage.game.epoch, seq)) == "events"
    assert b"".join(late.written)


async def test_a_slow_reader_gets_a_snapshot_when_it_drains(stage: Stage) -> None:
    reader = Reader(stage.hub)
    await stage.watch(reader)
    reader.drain()
    reader.room = 0
    await stage.place(2)
    await imported(stage)
    await stage.place(2)
    reader.room = 1 << 40
    reader.drain()
    await stage.hub.refreshed(reader, stage.game.name)
    assert stage.agrees(reader)
    assert (reader.snapshots, reader.is_lost) == (2, False)


async def test_a_paced_reader_gets_a_snapshot_at_its_pace(stage: Stage) -> None:
    reader = Reader(stage.hub)
    await stage.watch(reader, interval_ms=1000)
    await imported(stage)
    reader.read()
    assert (reader.seq, reader.snapshots) == (0, 1)
    stage.clock.advance(1000)
    await stage.place(1)
    await stage.hub.refreshed(reader, stage.game.name)
    assert stage.agrees(reader)


async def test_a_snapshot_that_was_being_made_is_not_given_out(stage: Stage) -> None:
    reader = Reader(stage.hub)
    prepared = await stage.hub.prepare(stage.game, None, "inline")
    await imported(stage)
    stage.hub.start(reader, prepared)
    await stage.hub.refreshed(reader, stage.game.name)
    assert stage.agrees(reader)


async def test_cooldowns_and_acks_go_on(stage: Stage) -> None:
    stage.game.change({"cooldown": {"ms": 5000}})
    reader = Reader(stage.hub)
    await stage.watch(reader)
    asker = Asker(reader)
    stage.journal.gate.clear()
    stage.game.submit(placement(3, 1, 9), asker)
    laying = asyncio.create_task(stage.game.lay(laid_on(stage.game, ROWS, 3, 1), "b", 5, "op"))
    await asyncio.sleep(0)
    stage.game.submit(placement(4, 1, 9, user="u2"), asker)
    stage.game.submit(placement(4, 1, 8), asker)
    stage.journal.gate.set()
    await stage.game.committer.drained()
    stage.hub.flush(stage.game)
    await laying
    assert [refusal.why.code for refusal in asker.refusals] == ["cooldown"]
    board = stage.game.replica.board
    assert [board.get(x, 1) for x in (3, 4, 5, 6)] == [1, 9, 15, 3]
    assert [item.get("previous") for item in stage.journal.items] == [None, 15, None, 2]
    await stage.watch(reader)
    reader.read()
    assert len(reader.acked) == 2


async def test_settings_and_picture_are_one_transaction(stage: Stage) -> None:
    stage.journal.faults.append(TransientFault("away"))
    laid = laid_on(stage.game, ROWS)
    laying = asyncio.create_task(stage.game.lay(laid, "b", 5, "op", {"locked": True}))
    await stage.game.committer.drained()
    await asyncio.sleep(0)
    await stage.game.committer.drained()
    assert [item["kind"] for item in stage.journal.items] == ["settings", "base"]
    (write,) = stage.journal.writes
    assert getattr(write, "set")["seq"] == 2  # noqa: B009  # a union of writes
    stage.hub.flush(stage.game)
    assert (await laying).seq == 2
    assert stage.game.replica.settings.locked


async def test_a_picture_that_does_not_suit_changes_no_settings(stage: Stage) -> None:
    laid = laid_on(stage.game, ROWS)
    palette = [{"rgb": "#FFFFFF", "name": "white"}, *[None] * 14, {"rgb": "#000000", "name": "b"}]
    with pytest.raises(ValueError, match="color 1"):
        await stage.game.lay(laid, "b", 5, "op", {"palette": palette})
    assert stage.game.head.seq == 0


async def test_a_store_that_refuses_for_good_is_told(stage: Stage) -> None:
    stage.journal.faults.append(PermanentFault("no access"))
    with pytest.raises(PermanentFault, match="no access"):
        await stage.game.lay(laid_on(stage.game, ROWS), "b", 5, "op")
    assert stage.game.replica.seq == 0


async def test_whoever_imports_may_hang_up(stage: Stage) -> None:
    stage.journal.gate.clear()
    laying = asyncio.create_task(stage.game.lay(laid_on(stage.game, ROWS), "b", 5, "op"))
    await asyncio.sleep(0)
    laying.cancel()
    stage.journal.gate.set()
    await stage.place(1)
    assert stage.game.replica.seq == 2
