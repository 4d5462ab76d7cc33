"""A base picture comes back with every snapshot gone, or is told to be missing; never half."""

import asyncio
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from canvas.base import UNTOUCHED
from canvas.board import Board
from canvas.events import BaseImported
from canvas.growth import Lineage
from canvas.palette import DEFAULT, Palette
from persistence.errors import PermanentFault, StoreDamaged, StoreError, TransientFault
from persistence.faulty import Faults, faulty
from persistence.ports import Blob, Store
from server.game.base_blob import BasePicture
from server.game.base_import import Import, Place, import_base
from server.recovery.present import read_present
from server.recovery.reader import RecoveryEvents, RecoveryReader
from server.recovery.replay import Base
from server.recovery.snapshotter import Snapshotter
from tests.support.games import NAME
from tests.support.memory_store import MemoryBlobs
from tests.support.runs import Lives, Run, same_board
from tests.support.unexpected import unexpected

ROWS = [[1, 2, UNTOUCHED, 3]] * 5


def picture(rows: list[list[int]] = ROWS) -> BasePicture:
    return BasePicture.of(np.array(rows, np.uint8))


async def imported(run: Run, x: int = 3, y: int = 1, **more: Any) -> BaseImported:
    place = Place(x, y, more.pop("generation", 0))
    wanted = Import(more.pop("picture", picture()), place, "op", **more)
    laying = asyncio.create_task(import_base(run.game, run.store.blobs, wanted))
    while not laying.done():
        await asyncio.wait([laying], timeout=0.001)
        run.game.publish()
    return await laying


def blobs_of(store: Store) -> dict[str, Blob]:
    assert isinstance(store.blobs, MemoryBlobs)
    return store.blobs.blobs


def base_key(store: Store) -> str:
    (key,) = [key for key in blobs_of(store) if key.startswith("canvas/base/")]
    return key


@pytest.mark.parametrize("snapshots", [(), ("before",), ("after",), ("before", "after", "end")])
@pytest.mark.parametrize("page", [1, 7])
async def test_a_board_comes_back(store: Store, snapshots: tuple[str, ...], page: int) -> None:
    lives = Lives(store)
    run = await lives.start()
    for x in range(8):
        await run.place(x, 1, 9)
        await run.place(x, 2, 10)
    if "before" in snapshots:
        await run.snapshot()
    await imported(run)
    if "after" in snapshots:
        await run.snapshot()
    await run.place(3, 1, 12)
    run.game.resize("left", 3)
    await run.publish()
    await run.place(0, 0, 7)
    await imported(run, generation=0, picture=picture([[4, 5], [UNTOUCHED, 6]]))
    if "end" in snapshots:
        await run.snapshot()
    await run.die()
    again = await lives.start(page=page)
    same_board(run, again)
    board = again.game.replica.board
    assert [board.get(x + 3, 1) for x in range(2, 8)] == [9, 4, 5, 9, 3, 9]
    assert lives.damages == []
    placed = await again.place(6, 1, 1)
    assert isinstance(placed, tuple)
    assert (placed.seq, placed.previous) == (again.game.head.seq, 4)
    await again.die()


async def test_everything_comes_back_with_every_snapshot_gone(store: Store) -> None:
    lives = Lives(store)
    run = await lives.start()
    await run.place(3, 1, 9)
    await imported(run)
    await run.snapshot()
    await run.place(4, 1, 9)
    await run.die()
    for key in [key for key in blobs_of(store) if "/base/" not in key]:
        del blobs_of(store)[key]
    again = await lives.start()
    same_board(run, again)
    await again.die()


async def test_a_resume_over_a_base_stays_impossible_after_a_restart(store: Store) -> None:
    lives = Lives(store)
    run = await lives.start()
    await run.place(1, 1, 1)
    event = await imported(run)
    await run.place(1, 1, 2)
    await run.snapshot()
    await run.die()
    again = await lives.start()
    assert again.game.replica.ring.resumable_from == event.seq
    await again.die()


@pytest.mark.parametrize(
    ("harm", "words"),
    [
        (lambda _: None, "is missing"),
        (lambda blob: replace(blob, data=b"junk"), "is damaged"),
        (lambda blob: replace(blob, data=blob.data[:-3]), "is damaged"),
        (lambda _: picture([[1, 2, 2, 3]] * 5).to_blob(), "does not have the crc32"),
        (lambda _: picture([[1, 2, 2, 3]] * 500).to_blob(), "exactly 20 bytes"),
    ],
)
async def test_a_picture_that_is_needed_and_not_sound_is_refused(
    store: Store, harm: Any, words: str
) -> None:
    lives = Lives(store)
    run = await lives.start()
    await imported(run)
    await run.die()
    key = base_key(store)
    harmed = harm(blobs_of(store).pop(key))
    if harmed is not None:
        blobs_of(store)[key] = harmed
    before = dict(blobs_of(store))
    with pytest.raises(StoreDamaged, match=words) as damage:
        await lives.start()
    assert key in str(damage.value)
    assert "backup" in damage.value.hint
    assert blobs_of(store) == before


async def test_a_picture_that_the_store_finds_damaged_is_not_to_be_removed(store: Store) -> None:
    lives = Lives(store)
    run = await lives.start()
    await imported(run)
    await run.die()
    script = Faults()
    script.fail("blobs.get", StoreDamaged("no checksum holds", "remove it"))
    reader = RecoveryReader(faulty(store, script), RecoveryEvents(lambda *_: None, unexpected))
    config = await reader.config(NAME)
    assert config is not None
    first = Base(Board(20, 10), Lineage([config.lineage.frames[0]]), 0, "")
    with pytest.raises(StoreDamaged, match="no checksum holds") as damage:
        await reader.replay(config, first)
    assert base_key(store) in str(damage.value)
    assert damage.value.hint.startswith("put the blob")


async def test_a_picture_that_is_not_needed_is_told_to_be_missing(store: Store) -> None:
    lives = Lives(store)
    run = await lives.start()
    await imported(run)
    await run.snapshot()
    await run.die()
    del blobs_of(store)[base_key(store)]
    again = await lives.start()
    same_board(run, again)
    (damage,) = lives.damages
    assert "is missing" in str(damage)
    await again.die()


async def test_an_item_of_another_generation_makes_no_sense(store: Store) -> None:
    lives = Lives(store)
    run = await lives.start()
    await imported(run)
    await run.die()
    pages = [page async for page in store.journal.read(["HISTORY"])]
    await store.journal.commit([{**pages[0][0], "generation": 4}])
    with pytest.raises(StoreDamaged, match="cannot be read"):
        await lives.start()


async def test_a_reader_beside_the_server_sees_it(store: Store) -> None:
    run = await Lives(store).start()
    await run.place(9, 9, 3)
    await imported(run)
    present = await read_present(store, NAME, RecoveryEvents(lambda *_: None, unexpected))
    assert present is not None
    assert present.outcome.replica.crc32() == run.game.replica.crc32()
    await run.die()


@pytest.mark.parametrize("step", ["blobs.put", "journal.commit"])
@pytest.mark.parametrize("answer_lost", [False, True])
async def test_death_between_any_two_writes_leaves_nothing_or_the_whole(
    store: Store, step: str, answer_lost: bool
) -> None:
    script = Faults()
    lives = Lives(faulty(store, script))
    run = await lives.start()
    await run.place(3, 1, 9)
    before = run.game.replica.crc32()
    script.fail(step, PermanentFault("killed here"), times=1, answer_lost=answer_lost)
    palette = Palette.of([*DEFAULT.colors[1:15], DEFAULT.colors[0], DEFAULT.colors[15]])
    whole = picture([[2] * 20] * 10)
    with pytest.raises(PermanentFault):
        await imported(run, 0, 0, picture=whole, palette=palette)
    assert run.game.replica.crc32() == before
    await run.die()
    script.mend()
    again = await lives.start()
    replica = again.game.replica
    if step == "journal.commit" and answer_lost:
        assert (replica.seq, replica.settings.palette) == (3, palette)
        assert (replica.board.colors() == 2).all()
    else:
        assert (replica.seq, replica.settings.palette) == (1, DEFAULT)
        assert replica.crc32() == before
    # What was left over is in nobody's way.
    await imported(again, 0, 0, picture=whole, palette=palette)
    assert (replica.board.colors() == 2).all()
    await again.die()


async def test_a_store_that_is_away_delays_an_import(store: Store) -> None:
    script = Faults()
    run = await Lives(faulty(store, script)).start()
    script.fail("journal.commit", TransientFault("away"), times=1)
    assert (await imported(run)).seq == 1
    script.fail("blobs.put", TransientFault("disk full"), times=1)
    with pytest.raises(StoreError, match="disk full"):
        await imported(run)
    assert run.game.head.seq == 1
    await run.die()


async def test_a_picture_follows_a_board_that_grows_meanwhile(store: Store) -> None:
    lives = Lives(store)
    run = await lives.start()

    async def grow(_seconds: float) -> None:
        if run.game.head.seq == 0:
            run.game.resize("left", 4)

    script = Faults(grow)
    script.latency = 1
    run.store = faulty(store, script)
    event = await imported(run)
    assert (event.generation, event.x, event.y) == (1, 7, 1)
    assert run.game.replica.board.get(7, 1) == 1
    await run.die()


async def test_a_palette_comes_only_where_nothing_else_changes_color(store: Store) -> None:
    run = await Lives(store).start()
    other = Palette.of([*DEFAULT.colors[1:15], DEFAULT.colors[0], DEFAULT.colors[15]])
    await imported(run, palette=other)
    assert run.game.replica.settings.palette == other
    with pytest.raises(ValueError, match="is painted on"):
        await imported(run, palette=DEFAULT)
    with pytest.raises(ValueError, match="empty color of place#main is number 15"):
        await imported(run, palette=Palette.of(DEFAULT.colors[:4]))
    await imported(run, 0, 0, picture=picture([[1] * 20] * 10), palette=DEFAULT)
    assert run.game.replica.settings.palette == DEFAULT
    assert run.game.head.seq == 4
    await run.die()


async def test_a_snapshot_follows_a_base_soon(store: Store) -> None:
    lives = Lives(store)
    run = await lives.start()
    stored: list[int] = []
    snapshotter = Snapshotter(
        run.game,
        store,
        lives.clock,
        every_ms=1_000_000,
        every_events=1_000_000,
        on_error=lambda _game, error: pytest.fail(str(error)),
        on_stored=lambda game, _ms: stored.append(game.replica.seq),
    )
    await run.place(1, 1, 1)
    lives.clock.advance(2000)
    assert not snapshotter._due()
    await imported(run)
    assert snapshotter._due()
    await snapshotter.store_now()
    lives.clock.advance(2000)
    assert not snapshotter._due()
    assert stored == [2]
    await run.die()
