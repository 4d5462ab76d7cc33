"""A store copied into another one: whole, proven, gone on with after any death."""

from collections.abc import AsyncIterator, Callable
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from persistence.errors import PermanentFault, StoreDamaged, TransientFault
from persistence.faulty import Faults, faulty
from persistence.patient import PAUSES, patient
from persistence.ports import Delete, Item, Key, Put, Store
from persistence.tables import BANS, CONFIG, MAIN, MILESTONES
from persistence.wrapped import wrapped
from server.care.copy.copying import Copied, Copying, copy_store
from server.care.copy.plan import amount_of, read_games
from server.game.base_blob import BasePicture
from server.game.config import key_of
from server.recovery.reader import RecoveryEvents
from server.recovery.unfinished import read_mark
from tests.support.games import NAME
from tests.support.memory_store import MemoryBlobs, MemoryLease, MemoryTables, open_memory
from tests.support.runs import Lives, same_board
from tests.support.unexpected import unexpected
from tests.unit.recovery.test_base import imported

EVENTS = RecoveryEvents(lambda *_: None, unexpected)
LATER_S = 4_000_000_000
WRITES = ("blobs.put", "journal.commit", "tables.write", "tables.put_many")


@pytest.fixture
def source() -> Store:
    return open_memory()


@pytest.fixture
def target() -> Store:
    return open_memory()


async def lived(store: Store, pixels: int = 30) -> Lives:
    """A store with everything in it."""
    lives = Lives(store)
    run = await lives.start()
    for n in range(pixels):
        await run.place(n % 20, n // 20, n % 16, user=f"u{n % 3}")
        if n == pixels // 2:
            await run.snapshot()
            run.game.resize("left", 2)
            await run.publish()
    await imported(run, generation=1, picture=BasePicture.of(np.full((2, 3), 4, np.uint8)))
    await run.die()
    lives.clock.advance(600_000)
    run = await lives.start()
    await run.place(1, 1, 1)
    await run.snapshot()
    await run.place(2, 1, 1)
    await run.die()
    await given_fence(lives)
    for item, table in (
        ({"PK": "BAN#user#a", "SK": "BAN", "reason": "x"}, BANS),
        ({"PK": "BAN#ip#192.0.2.1", "SK": "BAN", "reason": "y"}, BANS),
        ({"PK": "MILESTONE", "SK": "01J", "triggerAt": 5, "fired": False}, MILESTONES),
        ({"pk": "GAME", "sk": "place#0#main", "n": 1.5}, MAIN),
        ({"pk": "wsConnections", "sk": "c1", "expiresAt": LATER_S}, MAIN),
        ({"pk": "wsMeta", "sk": "presenceSeq", "seq": 7}, MAIN),
    ):
        await store.tables.write(Put(table, item))
    return lives


async def given_fence(lives: Lives) -> None:
    """Let the lease have given the fences that the lives took."""
    lives.fence = await lives.store.lease.acquire(above=lives.fence)
    await lives.store.lease.release()


async def copied(source: Store, target: Store, *, epoch: str = "new", **more: Any) -> Copied:
    async def no_sleep(_: float) -> None:
        return None

    return await copy_store(
        Copying(
            source,
            patient(target, more.get("complain", unexpected), no_sleep),
            "the old place",
            epoch,
            more.get("advance", lambda *_: None),
            EVENTS,
        )
    )


def rows_of(store: Store) -> dict[Any, bytes]:
    assert isinstance(store.tables, MemoryTables)
    own = {"LEASE", "wsConnections"}
    return {
        key: item
        for key, item in store.tables.rows.items()
        if key[0] != "config" and key[1].partition not in own
    }


def blobs_of(store: Store) -> dict[str, bytes]:
    assert isinstance(store.blobs, MemoryBlobs)
    return {key: blob.data for key, blob in store.blobs.blobs.items()}


async def check_alike(source: Store, target: Store, lives: Lives, epoch: str = "new") -> None:
    """The copy has all that the source has, and its first writer comes after every other one."""
    assert rows_of(target) == rows_of(source)
    assert blobs_of(target) == blobs_of(source)
    there, here = [await store.tables.get(CONFIG, key_of(NAME)) for store in (source, target)]
    assert there is not None
    assert here == there | {"epoch": epoch}
    old = await lives.start()
    fence = await target.lease.acquire()
    await target.lease.release()
    assert fence > max([item["fence"] async for item in history(source)])
    new_lives = Lives(target, lives.clock)
    new_lives.fence = fence
    new = await new_lives.start()
    old.game.replica.epoch = epoch
    same_board(old, new)
    assert new_lives.progress[-1][1] < 30, "it began from the blank board"
    assert new_lives.damages == []


async def test_a_copy_has_everything_but_what_is_of_one_store(source: Store, target: Store) -> None:
    lives = await lived(source)
    done = await copied(source, target)
    assert not done.resumed
    assert [(game.config.game, game.seq) for game in done.games] == [(NAME, 34)]
    counts = {part.what: part.items for part in done.parts}
    assert counts == {
        "blobs": len(blobs_of(source)),
        "table bans": 2,
        "table milestones": 1,
        "table main": 2,
        "history HISTORY": 34,
    }
    assert all(part.differences == 0 for part in done.parts)
    assert await read_mark(target.tables) is None
    await check_alike(source, target, lives)


async def test_a_source_whose_lease_was_taken_away_is_copied_above_its_games(
    source: Store, target: Store
) -> None:
    await lived(source)
    source = replace(source, lease=MemoryLease([0, 0, ""]))
    await copied(source, target)
    fence = await target.lease.acquire()
    assert fence > max([item["fence"] async for item in history(target)])


async def test_what_superseded_writers_left_stays_behind(source: Store, target: Store) -> None:
    lives = await lived(source)
    run = await lives.start()
    await run.die()
    await given_fence(lives)
    late = {"PK": "HISTORY", "SK": f"ts#{9 * 10**12}#{99:016d}-1", "seq": 99, "fence": 1}
    await source.journal.commit([late | {"x_original": 1}])
    await copied(source, target)
    assert [item["seq"] async for item in history(target)] == list(range(1, 35))
    assert rows_of(source).keys() - rows_of(target).keys() == {
        ("history", Key("HISTORY", str(late["SK"])))
    }


async def history(store: Store) -> AsyncIterator[Item]:
    async for page in store.journal.read(["HISTORY"]):
        for item in page:
            yield item


@pytest.mark.parametrize("operation", WRITES)
@pytest.mark.parametrize("answer_lost", [False, True])
async def test_a_copy_that_broke_off_goes_on(
    source: Store, target: Store, operation: str, answer_lost: bool
) -> None:
    lives = await lived(source)
    for nth in range(100):
        half = dying(target, operation, nth, answer_lost=answer_lost)
        try:
            await copied(source, half, epoch=f"try {nth}")
            break
        except PermanentFault:
            if answer_lost and await is_whole(target):
                break
            await check_not_served(target)
    else:
        pytest.fail("it never came to its end")
    assert nth >= 1
    config = await target.tables.get(CONFIG, key_of(NAME))
    assert config is not None
    await given_fence(lives)
    await check_alike(source, target, lives, epoch=config["epoch"])


def dying(store: Store, operation: str, nth: int, *, answer_lost: bool) -> Store:
    """A store whose writes all fail from the nth of an operation on."""
    faults, calls = Faults(), iter(range(10_000))

    async def around(name: str, items: int, call: Callable[[], Any]) -> Any:
        if name == operation and next(calls) == nth:
            if answer_lost:
                faults.fail(name, PermanentFault("dead"), times=1, answer_lost=True)
            for other in WRITES:
                faults.fail(other, PermanentFault("dead"))
        return await faults.around(name, items, call)

    return wrapped(store, around)


async def is_whole(target: Store) -> bool:
    """Whether the mark was taken away, which is the last thing that a copy does."""
    return await read_mark(target.tables) is None and rows_of(target) != {}


async def check_not_served(target: Store) -> None:
    """Nobody takes a store for a new one, or a whole one, once something is in it."""
    if await read_mark(target.tables) is None:
        assert rows_of(target) == {}
        assert blobs_of(target) == {}
        return
    with pytest.raises(StoreDamaged, match="unfinished copy of the old place"):
        await Lives(target).start()


async def test_a_source_that_went_on_between_two_tries_is_followed(
    source: Store, target: Store
) -> None:
    lives = await lived(source)
    with pytest.raises(PermanentFault):
        await copied(source, dying(target, "tables.put_many", 2, answer_lost=False))
    run = await lives.start()
    await run.place(5, 5, 5)
    await run.snapshot()
    await run.die()
    await given_fence(lives)
    await source.tables.write(Delete(BANS, Key("BAN#user#a", "BAN")))
    assert (await copied(source, target)).resumed
    await check_alike(source, target, lives)


async def test_a_store_that_is_away_for_a_while_is_waited_for(source: Store, target: Store) -> None:
    lives = await lived(source)
    faults, told = Faults(), list[str]()
    for operation in (*WRITES, "blobs.list", "tables.get", "tables.get_many"):
        faults.fail(operation, TransientFault("away"), times=len(PAUSES))
    await copied(source, faulty(target, faults), complain=lambda fault: told.append(str(fault)))
    assert set(told) == {"away"}
    await check_alike(source, target, lives)


async def test_a_store_that_stays_away_is_told_and_gone_on_with_later(
    source: Store, target: Store
) -> None:
    await lived(source)
    faults = Faults()
    faults.fail("journal.commit", TransientFault("away"))
    with pytest.raises(TransientFault):
        await copied(source, faulty(target, faults), complain=lambda _: None)
    assert (await copied(source, target)).resumed


FOREIGN = [
    (BANS, {"PK": "BAN#user#z", "SK": "BAN"}),
    (MAIN, {"pk": "GAME", "sk": "place#0#other"}),
    (CONFIG, {"PK": "CONFIG", "SK": "GAME#other#1"}),
]


@pytest.mark.parametrize(("table", "item"), FOREIGN)
async def test_a_target_that_holds_something_is_left_alone(
    source: Store, target: Store, table: Any, item: dict[str, Any]
) -> None:
    await lived(source)
    await target.tables.write(Put(table, item))
    before = rows_of(target)
    with pytest.raises(PermanentFault, match=f"table {table.name} holds"):
        await copied(source, target)
    assert (rows_of(target), blobs_of(target)) == (before, {})


async def test_a_finished_copy_is_not_written_over(source: Store, target: Store) -> None:
    await lived(source)
    await copied(source, target)
    with pytest.raises(PermanentFault, match="holds the blobs of a game"):
        await copied(source, target, epoch="newer")
    config = await target.tables.get(CONFIG, key_of(NAME))
    assert config is not None
    assert config["epoch"] == "new"


async def test_an_unfinished_copy_of_another_store_is_left_alone(target: Store) -> None:
    one, other = open_memory(), open_memory()
    await lived(one)
    await lived(other)
    config = await other.tables.get(CONFIG, key_of(NAME))
    assert config is not None
    await other.tables.write(Put(CONFIG, config | {"epoch": "of the other"}))
    with pytest.raises(PermanentFault):
        await copied(one, dying(target, "journal.commit", 0, answer_lost=False))
    with pytest.raises(PermanentFault, match="unfinished copy of the old place, which is another"):
        await copied(other, target)


async def test_an_unfinished_copy_is_no_source(source: Store, target: Store) -> None:
    await lived(source)
    with pytest.raises(PermanentFault):
        await copied(source, dying(target, "journal.commit", 0, answer_lost=False))
    with pytest.raises(StoreDamaged, match="unfinished copy"):
        await copied(target, open_memory())


async def test_a_copy_is_compared_and_not_believed(source: Store, target: Store) -> None:
    await lived(source)

    async def forgetful(name: str, items: int, call: Callable[[], Any]) -> Any:
        return None if name == "journal.commit" else await call()

    with pytest.raises(StoreDamaged, match=r"history HISTORY: HISTORY / ts#\d+#0+1-1 is missing"):
        await copied(source, wrapped(target, forgetful))
    assert await read_mark(target.tables) is not None
    assert (await copied(source, target)).resumed


async def test_a_damaged_source_is_not_copied(source: Store, target: Store) -> None:
    await lived(source)
    (first, *_), *_ = [page async for page in source.journal.read(["HISTORY"])]
    config = await source.tables.get(CONFIG, key_of(NAME))
    assert config is not None
    await source.tables.write(Put(CONFIG, config | {"seq": 1000}))
    with pytest.raises(StoreDamaged):
        await copied(source, target)
    assert (rows_of(target), blobs_of(target)) == ({}, {})
    assert first["seq"] == 1


async def test_all_partitions_that_were_ever_used_are_copied(source: Store, target: Store) -> None:
    lives = Lives(source)
    for shards in (3, 2):
        run = await lives.start(history_shards=shards)
        for x in range(10):
            await run.place(x, shards, x)
        await run.die()
    await given_fence(lives)
    done = await copied(source, target)
    counts = [part.items for part in done.parts if part.what.startswith("history")]
    assert (len(counts), sum(counts)) == (4, 20)
    assert rows_of(target) == rows_of(source)
    again = await Lives(target).start()
    assert again.game.replica.seq == 20


async def test_a_store_without_a_game_is_no_source(source: Store, target: Store) -> None:
    with pytest.raises(PermanentFault, match="no game in the old place"):
        await copied(source, target)
    assert rows_of(target) == {}


async def test_what_would_be_copied_is_counted(source: Store) -> None:
    await lived(source)
    amount = await amount_of(source, await read_games(source, EVENTS), lambda *_: None)
    assert dict(amount.games) == {NAME: 34}
    assert (amount.history, amount.blobs) == (34, len(blobs_of(source)))
    assert dict(amount.items) == {"config": 1, "bans": 2, "milestones": 1, "main": 2}
    assert 0 < amount.dollars < 0.001


async def test_progress_is_told_of_every_part(source: Store, target: Store) -> None:
    await lived(source)
    told: list[tuple[str, int, int]] = []
    await copied(source, target, advance=lambda *step: told.append(step))
    ends = {what: (done, total) for what, done, total in told}
    assert ends["Copying history HISTORY"] == ends["Comparing history HISTORY"] == (34, 34)
    assert ends["Copying blobs"] == ends["Comparing blobs"] == (len(blobs_of(source)),) * 2
