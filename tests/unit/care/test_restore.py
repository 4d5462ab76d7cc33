"""A board as it was: at a seq or a moment, over any growth; the old one kept; never half of it."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from canvas.address import AddressPolicy
from canvas.palette import DEFAULT, Palette
from persistence.errors import PermanentFault
from persistence.faulty import Faults
from persistence.ports import Store
from persistence.wrapped import wrapped
from server.care.restore.carrying import restore
from server.care.restore.plan import CannotRestore, Plan, Wish, make_plan
from server.care.restore.point import Point
from server.care.solitary import Surroundings
from server.game.base_blob import BasePicture
from server.recovery.reader import RecoveryEvents
from server.recovery.stored_snapshot import StoredSnapshot, archive_key
from tests.support.games import NAME
from tests.support.memory_store import MemoryBlobs, open_memory
from tests.support.runs import Lives, Run
from tests.support.unexpected import unexpected
from tests.unit.recovery.test_base import imported

NOTHING_DAMAGED = RecoveryEvents(lambda *_: None, unexpected)
EPOCH = "e2"


@pytest.fixture
def store() -> Store:
    return open_memory()


@pytest.fixture
def lives(store: Store) -> Lives:
    return Lives(store)


async def planned(lives: Lives, **wish: Any) -> Plan:
    keep = wish.pop("keep_palette", False)
    plan = await make_plan(
        lives.store, Wish(NAME, Point(**wish), keep), lives.clock.wall_ms(), NOTHING_DAMAGED
    )
    assert plan is not None
    return plan


async def restored(lives: Lives, store: Store | None = None, **wish: Any) -> int:
    plan = await planned(lives, **wish)
    around = Surroundings(
        store or lives.store, lives.clock, AddressPolicy(), NOTHING_DAMAGED, unexpected
    )
    await next_fence(lives)
    seq = (await restore(around, plan, EPOCH)).seq
    await next_fence(lives)
    return seq


async def next_fence(lives: Lives) -> None:
    """Take the lease for a moment: lives count their fences by themselves."""
    lives.fence = await lives.store.lease.acquire(above=lives.fence)
    await lives.store.lease.release()


async def painted(lives: Lives, **options: Any) -> Run:
    """Ten pixels in a row, a second apart, of the colours 0 to 9."""
    run = await lives.start(**options)
    for x in range(10):
        await run.place(x, 0, x)
        lives.clock.advance(1000)
    return run


def row(run: Run, y: int = 0, first: int = 0, count: int = 10) -> list[int]:
    board = run.game.replica.board
    return [board.get(x, y) for x in range(first, first + count)]


@pytest.mark.parametrize("snapshots", [(), (3,), (3, 8), (2, 4, 10)])
async def test_a_board_of_a_seq_comes_back_in_a_new_epoch(
    lives: Lives, snapshots: tuple[int, ...]
) -> None:
    run = await lives.start()
    for x in range(10):
        await run.place(x, 0, x)
        if x + 1 in snapshots:
            await run.snapshot()
    await run.die()
    assert await restored(lives, seq=4) == 11
    run = await lives.start()
    assert row(run) == [0, 1, 2, 3, *[15] * 6]
    assert (run.game.epoch, run.game.replica.seq) == (EPOCH, 11)
    assert lives.damages == []


async def test_the_old_board_is_kept_and_can_itself_be_restored(lives: Lives) -> None:
    await (await painted(lives)).die()
    await restored(lives, seq=4)
    assert isinstance(lives.store.blobs, MemoryBlobs)
    kept = StoredSnapshot.from_blob("", lives.store.blobs.blobs[archive_key(NAME, 10)])
    assert (kept.seq, kept.epoch) == (10, "e1")
    assert await restored(lives, seq=10) == 12
    assert row(await lives.start()) == list(range(10))


@pytest.mark.parametrize(("after_ms", "seq"), [(0, 1), (999, 1), (1000, 2), (4500, 5), (8999, 9)])
async def test_a_moment_means_all_that_was_placed_until_its_end(
    lives: Lives, after_ms: int, seq: int
) -> None:
    began_ms = lives.clock.wall_ms()
    await (await painted(lives)).die()
    plan = await planned(lives, at_ms=began_ms + after_ms)
    assert (plan.seq, plan.at_ms) == (seq, began_ms + (seq - 1) * 1000)
    assert plan.undone == {"placement": 10 - seq}
    assert plan.differing == 10 - seq


async def test_what_grew_since_is_empty_and_the_rest_where_it_was(lives: Lives) -> None:
    run = await painted(lives)
    run.game.resize("left", 3)
    run.game.resize("up", 2)
    await run.publish()
    await run.place(0, 0, 5)
    await run.place(3, 2, 6)
    await run.die()
    plan = await planned(lives, seq=6)
    assert plan.undone == {"placement": 6, "resize": 2}
    assert plan.differing == 6
    await restored(lives, seq=6)
    run = await lives.start()
    assert row(run, y=2, count=14) == [15, 15, 15, 0, 1, 2, 3, 4, 5, *[15] * 5]
    assert row(run) == [15] * 10
    assert run.game.replica.lineage.geometry == plan.frame


async def test_a_board_between_growths_is_laid_by_its_own_offset(lives: Lives) -> None:
    run = await painted(lives)
    run.game.resize("left", 3)
    await run.publish()
    await run.place(0, 0, 7)
    run.game.resize("left", 2)
    await run.publish()
    await run.place(5, 0, 9)
    await run.die()
    await restored(lives, seq=12)
    assert row(await lives.start(), count=6) == [15, 15, 7, 15, 15, 0]


async def test_pictures_and_earlier_restorings_are_history_as_well(lives: Lives) -> None:
    run = await painted(lives)
    await imported(run, 0, 0, picture=BasePicture.of(np.full((1, 10), 3, np.uint8)))
    await run.place(0, 0, 9)
    await run.die()
    await restored(lives, seq=5)
    await restored(lives, seq=11)
    run = await lives.start()
    assert row(run) == [3] * 10
    await run.die()
    await restored(lives, seq=13)
    assert row(await lives.start()) == [0, 1, 2, 3, 4, *[15] * 5]


async def test_the_palette_of_then_comes_back_with_the_board(lives: Lives) -> None:
    run = await lives.start()
    cells = np.full((10, 20), 2, np.uint8)
    warm, cold = [Palette.of(DEFAULT.colors[k:] + DEFAULT.colors[:k], 15) for k in (1, 2)]
    await imported(run, 0, 0, picture=BasePicture.of(cells), palette=warm)
    await imported(run, 0, 0, picture=BasePicture.of(cells), palette=cold)
    await run.die()
    with pytest.raises(CannotRestore, match="looks as it did"):
        await planned(lives, seq=2, keep_palette=True)
    plan = await planned(lives, seq=2)
    assert (plan.sets_palette, plan.palette, plan.differing) == (True, warm, 200)
    await restored(lives, seq=2)
    run = await lives.start()
    assert run.game.replica.settings.palette == warm
    assert run.game.epoch == EPOCH


async def test_a_palette_that_nobody_wrote_down_is_not_guessed(lives: Lives) -> None:
    run = await painted(lives)
    cells = np.full((10, 20), 2, np.uint8)
    other = Palette.of(DEFAULT.colors[1:] + DEFAULT.colors[:1], 15)
    await imported(run, 0, 0, picture=BasePicture.of(cells), palette=other)
    await run.die()
    with pytest.raises(CannotRestore, match="--keep-palette"):
        await planned(lives, seq=4)
    assert (await planned(lives, seq=4, keep_palette=True)).palette == other


@pytest.mark.parametrize(
    ("wish", "answer"),
    [
        ({"seq": 0}, "no seq 0: give one from 1 to 10"),
        ({"seq": 11}, "no seq 11: give one from 1 to 10"),
        ({"seq": 10}, "nothing came after it"),
        ({"at_ms": 1}, "before the history"),
        ({"at_ms": 9_999_999_999_998}, "is in the future"),
    ],
)
async def test_points_that_are_none_are_told_with_those_that_are(
    lives: Lives, wish: dict[str, int], answer: str
) -> None:
    await (await painted(lives)).die()
    with pytest.raises(CannotRestore, match=answer):
        await planned(lives, **wish)


async def test_nothing_is_restored_of_an_empty_board_or_of_no_game(lives: Lives) -> None:
    assert await make_plan(lives.store, Wish(NAME, Point(1)), 0, NOTHING_DAMAGED) is None
    await (await lives.start()).die()
    with pytest.raises(CannotRestore, match="nothing was ever placed"):
        await planned(lives, seq=1)


async def test_a_board_that_looks_the_same_is_left_alone(lives: Lives) -> None:
    run = await painted(lives)
    await run.place(0, 0, 0)
    await run.die()
    with pytest.raises(CannotRestore, match="looks as it did at seq 10"):
        await planned(lives, seq=10)


async def test_a_board_that_went_on_since_it_was_looked_at_is_left_alone(lives: Lives) -> None:
    run = await painted(lives)
    plan = await planned(lives, seq=4)
    await run.place(0, 5, 3)
    await run.die()
    around = Surroundings(lives.store, lives.clock, AddressPolicy(), NOTHING_DAMAGED, unexpected)
    await next_fence(lives)
    with pytest.raises(CannotRestore, match="went on since"):
        await restore(around, plan, EPOCH)
    await next_fence(lives)
    run = await lives.start()
    assert (row(run), run.game.epoch) == (list(range(10)), "e1")


@pytest.mark.parametrize("operation", ["blobs.put", "journal.commit", "tables.write"])
@pytest.mark.parametrize("nth", range(4))
@pytest.mark.parametrize("answer_lost", [False, True])
async def test_a_death_between_two_writes_leaves_the_old_board_or_the_new(
    lives: Lives, operation: str, nth: int, answer_lost: bool
) -> None:
    await (await painted(lives)).die()
    died = _dies_at(lives.store, operation, nth, answer_lost=answer_lost)
    plan = await planned(lives, seq=4)
    around = Surroundings(died, lives.clock, AddressPolicy(), NOTHING_DAMAGED, lambda _: None)
    await next_fence(lives)
    ended = True
    try:
        await restore(around, plan, EPOCH)
    except PermanentFault:
        ended = False
    await next_fence(lives)
    run = await lives.start()
    new = ([0, 1, 2, 3, *[15] * 6], EPOCH, 11)
    old = (list(range(10)), "e1", 10)
    found = (row(run), run.game.epoch, run.game.replica.seq)
    assert found in ((new,) if ended else (new, old))
    assert lives.damages == []


def _dies_at(store: Store, operation: str, nth: int, *, answer_lost: bool) -> Store:
    """A store whose calls all fail from the nth of an operation on."""
    faults, calls = Faults(), iter(range(100))

    async def around(name: str, items: int, call: Callable[[], Any]) -> Any:
        if name == operation and next(calls) == nth:
            for other in ("blobs.put", "journal.commit", "tables.write"):
                lost = answer_lost and other == operation
                if lost:
                    faults.fail(other, PermanentFault("dead"), times=1, answer_lost=True)
                faults.fail(other, PermanentFault("dead"))
        return await faults.around(name, items, call)

    return wrapped(store, around)
