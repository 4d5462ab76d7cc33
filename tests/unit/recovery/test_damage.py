"""What a recovery refuses, with nothing changed, and what it drops as never published."""

from dataclasses import replace

import pytest

from canvas.events import PixelPlaced
from persistence.errors import StoreDamaged
from persistence.ports import Key, Store, Update
from persistence.tables import CONFIG
from server.game.history import to_item
from tests.support.memory_store import open_memory
from tests.support.runs import Lives, same_board

CONFIG_KEY = Key("CONFIG", "SINGLETON")


async def test_a_hole_is_damage_where_commits_are_in_order(store: Store) -> None:
    lives = Lives(store)
    run = await lives.start()
    await run.place(1, 1, 1)
    missing = to_item(_pixel(seq=3), "HISTORY", 1)
    await store.journal.commit([missing])
    await run.die()
    with pytest.raises(StoreDamaged, match="hole after seq 1") as damage:
        await lives.start()
    assert "backup" in damage.value.hint
    assert await store.journal.count(["HISTORY"]) == 2


async def test_what_lies_after_a_hole_was_never_published(store: Store) -> None:
    store = replace(store, ordered=False)
    lives = Lives(store)
    run = await lives.start()
    await run.place(1, 1, 1)
    await store.journal.commit([to_item(_pixel(seq=seq), "HISTORY", 1) for seq in (3, 4)])
    await run.die()
    again = await lives.start()
    same_board(run, again)
    assert await store.journal.count(["HISTORY"]) == 1
    placed = await again.place(2, 2, 2)
    assert isinstance(placed, PixelPlaced)
    assert placed.seq == 2
    await again.die()


async def test_a_straggler_of_a_superseded_writer_is_dropped(store: Store) -> None:
    lives = Lives(store)
    run = await lives.start()
    await run.place(1, 1, 1)
    await run.die()
    again = await lives.start()
    await store.journal.commit([to_item(_pixel(seq=2), "HISTORY", 1)])
    lives.clock.advance(10)  # so that the straggler lies before what was placed
    await again.place(2, 2, 9)
    await again.die()
    third = await lives.start()
    same_board(again, third)
    assert third.game.replica.board.get(2, 2) == 9
    await third.die()


async def test_a_start_that_failed_bars_the_writer_before_it_too(store: Store) -> None:
    lives = Lives(store)
    run = await lives.start()
    await run.place(1, 1, 1)
    await run.die()
    lives.fence += 1  # taken by a start that died before it was done
    again = await lives.start()
    await store.journal.commit([to_item(_pixel(seq=2), "HISTORY", 1)])
    lives.clock.advance(10)  # so that the straggler lies before what was placed
    await again.place(2, 2, 9)
    await again.die()
    last = await lives.start()
    same_board(again, last)
    assert last.game.replica.board.get(2, 2) == 9
    await last.die()


async def test_a_history_that_lost_its_end_is_refused(store: Store) -> None:
    lives = Lives(store)
    run = await lives.start()
    for seq in range(5):
        await run.place(seq, 1, 1)
    await run.die()
    again = await lives.start()
    await again.die()
    pages = [page async for page in store.journal.read(["HISTORY"])]
    last = pages[-1][-1]
    await store.journal.delete([Key(last["PK"], last["SK"])])
    with pytest.raises(StoreDamaged, match="ends at seq 4; 5 was published"):
        await lives.start()


@pytest.mark.parametrize("left", [0, 3])
async def test_a_history_that_ends_before_the_snapshot_is_refused(store: Store, left: int) -> None:
    lives = Lives(store)
    run = await lives.start()
    for seq in range(5):
        await run.place(seq, 1, 1)
    await run.snapshot()
    await run.die()
    pages = [page async for page in store.journal.read(["HISTORY"])]
    items = [item for page in pages for item in page]
    await store.journal.delete([Key(item["PK"], item["SK"]) for item in items[left:]])
    with pytest.raises(StoreDamaged, match="does not hold seq 5, at which its snapshot was taken"):
        await lives.start()


async def test_snapshots_without_a_config_are_refused(store: Store) -> None:
    lives = Lives(store)
    run = await lives.start()
    await run.place(1, 1, 1)
    await run.snapshot()
    await run.die()
    empty = replace(open_memory(), blobs=store.blobs)
    with pytest.raises(StoreDamaged, match="its database is missing"):
        await Lives(empty).start()


@pytest.mark.parametrize("change", [{"width": 21}, {"palette": []}, {"growths": [[0, 0, 1, 0, 0]]}])
async def test_a_config_that_does_not_hold_together_is_refused(
    store: Store, change: dict[str, object]
) -> None:
    lives = Lives(store)
    await (await lives.start()).die()
    await store.tables.write(Update(CONFIG, CONFIG_KEY, set=change))
    with pytest.raises(StoreDamaged, match="config item of place#main"):
        await lives.start()


@pytest.mark.parametrize(
    ("change", "told"),
    [
        ({"colorIndex": None}, "HISTORY / ts#.*: its colorIndex is None"),
        ({"colorIndex": 16}, "its colorIndex is 16, and colors are 0 to 15"),
        ({"x_original": -1}, "-1"),
        ({"x_original": 20}, "20"),
        ({"y_original": 9000}, "9000"),
        ({"costMs": "long"}, "HISTORY / ts#.*: its costMs is 'long'"),
        ({"kind": "later"}, "its kind is 'later'.*a newer Tesserae"),
    ],
)
async def test_an_item_that_makes_no_sense_is_refused_by_its_name(
    store: Store, change: dict[str, object], told: str
) -> None:
    lives = Lives(store)
    run = await lives.start()
    await run.die()
    await store.journal.commit([{**to_item(_pixel(seq=1), "HISTORY", 1), **change}])
    with pytest.raises(StoreDamaged, match=f"cannot be read: .*{told}") as damage:
        await lives.start()
    assert "tesserae store check" in damage.value.hint


def _pixel(seq: int) -> PixelPlaced:
    return PixelPlaced(seq, 1_700_000_000_001, 2, 2, 2, 0, 0, 0, 15, "u", "", None, 0, 0)
