"""A new epoch: the same board under another name, whenever the process dies."""

from collections.abc import Awaitable, Callable

import pytest

from canvas.address import AddressPolicy
from persistence.errors import ConditionFailed, PermanentFault, StoreError
from persistence.faulty import Faults, faulty
from persistence.ports import Store, Update
from persistence.tables import CONFIG
from persistence.wrapped import Result, wrapped
from server.care.check.store import check_store
from server.care.epoch import begin_epoch
from server.care.solitary import Surroundings
from server.game.config import key_of
from server.recovery.reader import RecoveryEvents
from tests.support.games import NAME
from tests.support.memory_store import open_memory
from tests.support.runs import Lives


def around(store: Store, lives: Lives) -> Surroundings:
    complaints: list[StoreError] = []
    events = RecoveryEvents(lambda *_: None, complaints.append)
    return Surroundings(store, lives.clock, AddressPolicy(0, 0), events, complaints.append)


async def played() -> tuple[Store, Lives, int]:
    store = open_memory()
    lives = Lives(store)
    run = await lives.start()
    for x in range(5):
        await run.place(x, 1, x)
    await run.snapshot()
    await run.place(9, 9, 9)
    await run.die()
    return store, lives, run.game.replica.crc32()


async def epoch_of(store: Store) -> str:
    item = await store.tables.get(CONFIG, key_of(NAME))
    assert item is not None
    return str(item["epoch"])


async def test_board_and_numbers_stay_and_the_epoch_is_another() -> None:
    store, lives, crc32 = await played()
    begun = await begin_epoch(around(store, lives), NAME, "e2")
    assert (begun.before, begun.epoch, begun.seq) == ("e1", "e2", 6)
    run = await lives.start()
    replica = run.game.replica
    assert (replica.epoch, replica.seq, replica.crc32()) == ("e2", 6, crc32)
    await run.die()
    assert (await check_store(store, None, lambda *_: None)).findings == []


async def test_the_next_start_begins_at_a_snapshot_of_the_new_epoch() -> None:
    store, lives, _ = await played()
    await begin_epoch(around(store, lives), NAME, "e2")
    blob = await store.blobs.get("canvas/canvas.bin")
    assert blob is not None
    assert (blob.metadata["epoch"], blob.metadata["seq"]) == ("e2", "6")


async def test_it_is_refused_while_somebody_holds_the_lease() -> None:
    store, lives, _ = await played()
    await store.lease.acquire()
    rival = open_memory(rows=store.tables.rows)  # type: ignore[attr-defined]
    rival.lease._shared = store.lease._shared  # type: ignore[attr-defined]
    with pytest.raises(StoreError, match="another lease"):
        await begin_epoch(around(rival, lives), NAME, "e2")
    assert await epoch_of(store) == "e1"


async def test_an_unknown_game_is_told() -> None:
    store, lives, _ = await played()
    with pytest.raises(PermanentFault, match="no game place#other"):
        await begin_epoch(around(store, lives), "place#other", "e2")


@pytest.mark.parametrize(("wrote", "wins"), [("e2", True), ("e3", False)])
async def test_a_condition_that_failed_is_looked_into(wrote: str, wins: bool) -> None:
    """A write whose answer was lost is tried again, and finds its own epoch there."""
    store, lives, _ = await played()

    async def around_call(
        operation: str, _items: int, call: Callable[[], Awaitable[Result]]
    ) -> Result:
        if operation == "tables.write" and script.pop(0):
            await store.tables.write(Update(CONFIG, key_of(NAME), set={"epoch": wrote}))
            raise ConditionFailed("not as expected")
        return await call()

    script = [False, True, False]  # recovery bars former writers; a snapshot raises the seq
    beginning = begin_epoch(around(wrapped(store, around_call), lives), NAME, "e2")
    if wins:
        assert (await beginning).epoch == "e2"
    else:
        with pytest.raises(ConditionFailed):
            await beginning


@pytest.mark.parametrize("step", ["tables.write", "blobs.put"])
@pytest.mark.parametrize("answer_lost", [False, True])
async def test_death_between_any_two_writes_leaves_a_board_that_comes_back(
    step: str, answer_lost: bool
) -> None:
    store, lives, crc32 = await played()
    script = Faults()
    script.fail(step, PermanentFault("killed here"), times=99, answer_lost=answer_lost)
    try:
        await begin_epoch(around(faulty(store, script), lives), NAME, "e2")
    except PermanentFault:
        assert step == "tables.write"
    run = await lives.start()
    assert run.game.replica.crc32() == crc32
    assert run.game.replica.epoch == await epoch_of(store)
    await run.die()
