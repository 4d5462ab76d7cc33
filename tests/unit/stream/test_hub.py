"""The hub: everybody in step gets each flush once, slow readers are merged, nobody misses a seq."""

import asyncio
from typing import Any

import pytest

from canvas.board import Board
from server.asking import Position
from server.wire.binary_v1 import BINARY_V1
from server.wire.json_v1 import JSON_V1
from tests.support.games import NAME, placement
from tests.support.reader import Reader
from tests.support.stage import Asker, Stage


async def test_a_joiner_gets_the_board_then_every_pixel(stage: Stage) -> None:
    await stage.place(300)
    reader = Reader(stage.hub)
    assert await stage.watch(reader) == "snapshot"
    await stage.place(50)
    assert stage.agrees(reader)
    assert reader.snapshots == 1


async def test_a_hundred_joiners_share_one_snapshot(
    stage: Stage, monkeypatch: pytest.MonkeyPatch
) -> None:
    from server.replica import snapshots

    encodings: list[int] = []
    encode = snapshots.encode

    def counted(*args: Any) -> Any:
        encodings.append(1)
        return encode(*args)

    monkeypatch.setattr(snapshots, "encode", counted)
    readers = [Reader(stage.hub) for _ in range(100)]
    await asyncio.gather(*[stage.watch(reader) for reader in readers])
    await stage.place(5)
    assert all(stage.agrees(reader) for reader in readers)
    assert len(encodings) == 1


async def test_pixels_that_land_while_a_snapshot_is_made_are_not_missed(stage: Stage) -> None:
    """C3."""
    await stage.place(100)
    reader = Reader(stage.hub)
    prepared = await stage.hub.prepare(stage.game, None, "inline")
    await stage.place(100)
    stage.hub.start(reader, prepared)
    await stage.place(100)
    assert stage.agrees(reader)


async def test_a_resume_gets_events_alone(stage: Stage) -> None:
    """C1: far fewer bytes than a board."""
    reader = Reader(stage.hub)
    await stage.watch(reader)
    await stage.place(10)
    reader.read()
    position = Position(stage.game.epoch, reader.seq)
    stage.hub.detach(reader)
    await stage.place(100, spread=20)
    back = Reader(stage.hub)
    board = reader.board
    assert board is not None
    back.start_at(board, reader.seq, reader.generation, stage.game.epoch)
    assert await stage.watch(back, position) == "events"
    assert stage.agrees(back)
    assert back.snapshots == 0
    assert back.received_bytes < board.packed.nbytes / 4


async def test_a_current_client_gets_nothing(stage: Stage) -> None:
    await stage.place(3)
    reader = Reader(stage.hub)
    assert await stage.watch(reader, Position(stage.game.epoch, 3)) == "current"
    assert reader.written == []


@pytest.mark.parametrize(
    "position", [Position("another", 3), Position("epoch-1", 99)], ids=["epoch", "future"]
)
async def test_an_impossible_position_gets_a_snapshot(stage: Stage, position: Position) -> None:
    await stage.place(5)
    reader = Reader(stage.hub)
    assert await stage.watch(reader, position) == "snapshot"
    assert stage.agrees(reader)


async def test_longer_away_than_the_ring_gets_a_snapshot() -> None:
    """C2: an explicit snapshot, never silence."""
    stage = Stage(ring_events=100)
    for _ in range(5):
        await stage.place(4096)
    reader = Reader(stage.hub)
    assert await stage.watch(reader, Position(stage.game.epoch, 7)) == "snapshot"
    assert stage.agrees(reader)
    await stage.stop()


async def test_a_client_with_a_board_of_its_own_asks_for_none(stage: Stage) -> None:
    await stage.place(5)
    reader = Reader(stage.hub)
    reader.start_at(
        Board.from_packed(64, 64, stage.game.replica.board.to_bytes()), 5, 0, stage.game.epoch
    )
    assert await stage.watch(reader, None, "none") == "current"
    await stage.place(5)
    assert stage.agrees(reader)


async def test_a_link_stands_in_for_the_bands(stage: Stage) -> None:
    """C6: the board may be fetched (again); the stream goes on from the seq of the event."""
    await stage.place(5)
    reader = Reader(stage.hub)
    await stage.watch(reader, None, "http")
    reader.read()
    (event,) = reader.events
    assert event["url"] == "api/games/place%23main/canvas.bin"
    assert event["seq"] == 5


async def test_an_ack_follows_its_pixel_in_the_same_write(stage: Stage) -> None:
    reader = Reader(stage.hub)
    await stage.watch(reader)
    reader.read()
    await stage.place(3, Asker(reader))
    assert len(reader.written) == 1
    reader.read()
    assert [ack.seq for ack in reader.acked] == [1, 2, 3]


async def test_a_placer_that_watches_nothing_is_acknowledged_too(stage: Stage) -> None:
    placer = Reader(stage.hub)
    await stage.place(2, Asker(placer))
    placer.read()
    assert [ack.seq for ack in placer.acked] == [1, 2]


async def test_nothing_is_seen_before_it_is_committed(stage: Stage) -> None:
    """C11: a store that is away delays the pixel for everybody."""
    reader = Reader(stage.hub)
    await stage.watch(reader)
    reader.read()
    stage.journal.gate.clear()
    stage.game.submit(placement(1, 1, 3), Asker(reader))
    for _ in range(20):
        await asyncio.sleep(0)
    stage.hub.flush(stage.game)
    assert reader.written == []
    assert stage.game.replica.board.get(1, 1) == 15
    stage.journal.gate.set()
    await stage.game.committer.drained()
    stage.hub.flush(stage.game)
    assert stage.agrees(reader)
    assert reader.board is not None
    assert reader.board.get(1, 1) == 3


async def test_growth_and_settings_are_told_in_their_place(stage: Stage) -> None:
    """C9: the new size before any pixel outside the old one."""
    reader, late = Reader(stage.hub), Reader(stage.hub)
    await stage.watch(reader)
    await stage.place(3)
    stage.game.resize("left", 10, "More room")
    stage.game.change({"locked": False})
    stage.game.submit(placement(70, 5, 4), Asker(reader))
    await stage.place(2)
    assert stage.agrees(reader)
    assert [event["event"] for event in reader.events[1:]] == ["resize", "settings"]
    late.start_at(Board(64, 64), 0, 0, stage.game.epoch)
    await stage.watch(late, Position(stage.game.epoch, 0))
    assert stage.agrees(late)


async def test_both_codecs_are_encoded_once_each(stage: Stage) -> None:
    binary = [Reader(stage.hub) for _ in range(3)]
    text = [Reader(stage.hub, codec=JSON_V1) for _ in range(3)]
    for reader in [*binary, *text]:
        await stage.watch(reader, None, "none")
    await stage.place(1)
    assert len({id(reader.written[0]) for reader in binary}) == 1
    assert len({id(reader.written[0]) for reader in text}) == 1
    assert text[0].take_json()[0]["pixels"] == [[1, 0, 1]]


async def test_legacy_clients_get_hints_and_never_pixels(stage: Stage) -> None:
    reader = Reader(stage.hub)
    stage.hub.hint(reader, wanted=True)
    await stage.place(4)
    assert reader.take_json() == [{"event": "game", "game": NAME, "seq": 4}]
    stage.hub.hint(reader, wanted=False)
    await stage.place(4)
    assert reader.written == []


async def test_a_legacy_client_that_was_full_is_hinted_once_it_has_drained(stage: Stage) -> None:
    reader = Reader(stage.hub, room=0)
    stage.hub.hint(reader, wanted=True)
    await stage.place(1)
    await stage.place(1)
    assert reader.take_json() == [{"event": "game", "game": NAME, "seq": 1}]
    reader.drain()
    assert reader.take_json() == [{"event": "game", "game": NAME, "seq": 2}]


async def test_a_connection_that_is_gone_gets_nothing_more(stage: Stage) -> None:
    reader = Reader(stage.hub)
    await stage.watch(reader)
    reader.read()
    stage.hub.detach(reader)
    await stage.place(3)
    assert reader.written == []
    assert stage.hub.watchers(NAME) == 0


async def test_one_placement_alone_does_not_wait_for_a_tick(stage: Stage) -> None:
    reader = Reader(stage.hub)
    await stage.watch(reader)
    reader.read()
    stage.game.submit(placement(1, 1, 1), Asker(reader))
    await stage.game.committer.drained()
    for _ in range(3):
        await asyncio.sleep(0)
    assert stage.agrees(reader)
    assert reader.seq == 1


async def test_a_resent_placement_is_acknowledged_again(stage: Stage) -> None:
    """C69, while the first is on its way and after it."""
    reader = Reader(stage.hub)
    stage.journal.gate.clear()
    asked = placement(1, 1, 1, request=77)
    for _ in range(2):
        stage.game.submit(asked, Asker(reader))
    stage.journal.gate.set()
    await stage.place(0)
    stage.game.submit(asked, Asker(reader))
    await stage.place(0)
    reader.read()
    assert [(ack.request, ack.seq) for ack in reader.acked] == [(77, 1)] * 3
    assert stage.game.replica.seq == 1
    assert BINARY_V1 is reader.codec


async def test_a_flush_that_fails_stops_the_game_and_is_not_hidden(
    stage: Stage, monkeypatch: pytest.MonkeyPatch
) -> None:
    told: list[Any] = []
    asyncio.get_running_loop().set_exception_handler(lambda _loop, context: told.append(context))
    monkeypatch.setattr(stage.game.replica, "apply", lambda _events: 1 // 0)
    asker = Asker(Reader(stage.hub))
    stage.game.submit(placement(1, 1, 1), asker)
    await stage.game.committer.drained()
    for _ in range(3):
        await asyncio.sleep(0)
    assert isinstance(told[0]["exception"], ZeroDivisionError)
    assert stage.game.head.max_pending == 0
    stage.game.submit(placement(1, 2, 1), asker)
    assert [refusal.why.code for refusal in asker.refusals] == ["busy"]
