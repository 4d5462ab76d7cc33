"""Stores with something around them: scripted faults, latency, timings."""

import ast
import asyncio
from collections.abc import AsyncIterator

import pytest

from persistence.errors import PermanentFault, TransientFault
from persistence.faulty import Faults, faulty
from persistence.ports import Key, Put, Rectangle, Store
from persistence.tables import CONFIG
from persistence.timed import timed
from persistence.wrapped import WRITES
from tests.contract.blobs_contract import BlobsContract
from tests.contract.journal_contract import JournalContract
from tests.contract.tables_contract import TablesContract
from tests.contract.wall import Wall
from tests.support.memory_store import open_memory
from tests.support.source import read
from tests.support.stores import history_item

FULL = TransientFault("the disk is full", "free some space")


@pytest.fixture
def wall() -> Wall:
    return Wall(1_760_000_000_000)


@pytest.fixture
def store(wall: Wall) -> Store:
    return faulty(open_memory(wall), Faults())


class TestTablesWithoutFaults(TablesContract):
    pass


class TestJournalWithoutFaults(JournalContract):
    pass


class TestBlobsWithoutFaults(BlobsContract):
    pass


async def test_so_many_calls_fail_and_the_next_succeeds() -> None:
    faults = Faults()
    store = faulty(open_memory(), faults)
    faults.fail("journal.commit", FULL, times=2)
    for _ in range(2):
        with pytest.raises(TransientFault, match="the disk is full") as caught:
            await store.journal.commit([history_item(1)])
        assert caught.value.hint == FULL.hint
        assert await store.journal.count(["HISTORY"]) == 0
    await store.journal.commit([history_item(1)])
    assert await store.journal.count(["HISTORY"]) == 1


async def test_calls_fail_until_mended() -> None:
    faults = Faults()
    store = faulty(open_memory(), faults)
    faults.fail("tables.write", PermanentFault("no such table"))
    for _ in range(3):
        with pytest.raises(PermanentFault):
            await store.tables.write(Put(CONFIG, {"PK": "CONFIG", "SK": "SINGLETON"}))
    faults.mend()
    await store.tables.write(Put(CONFIG, {"PK": "CONFIG", "SK": "SINGLETON"}))
    assert await store.tables.get(CONFIG, Key("CONFIG", "SINGLETON")) is not None


async def test_a_lost_answer_was_done() -> None:
    faults = Faults()
    store = faulty(open_memory(), faults)
    faults.fail("journal.commit", FULL, times=1, answer_lost=True)
    with pytest.raises(TransientFault):
        await store.journal.commit([history_item(1)])
    assert await store.journal.count(["HISTORY"]) == 1


async def test_held_calls_wait_for_their_release() -> None:
    faults = Faults()
    store = faulty(open_memory(), faults)
    faults.hold("journal.commit")
    commit = asyncio.ensure_future(store.journal.commit([history_item(1)]))
    for _ in range(5):
        await asyncio.sleep(0)
    assert not commit.done()
    assert await store.journal.count(["HISTORY"]) == 0
    faults.release("journal.commit")
    faults.release("journal.commit")
    await commit
    assert await store.journal.count(["HISTORY"]) == 1


async def test_latency_comes_before_the_call() -> None:
    slept: list[float] = []

    async def sleep(seconds: float) -> None:
        slept.append(seconds)

    faults = Faults(sleep)
    store = faulty(open_memory(), faults)
    await store.journal.commit([history_item(1)])
    faults.latency = 0.25
    assert await store.journal.count(["HISTORY"]) == 1
    assert slept == [0.25]


async def test_each_call_is_observed_also_a_failing_one() -> None:
    seen: list[tuple[str, float, int]] = []
    ticks = iter(range(100))
    faults = Faults()
    store = timed(
        faulty(open_memory(), faults), lambda *call: seen.append(call), lambda: float(next(ticks))
    )
    await store.journal.commit([history_item(1), history_item(2)])
    faults.fail("journal.commit", FULL)
    with pytest.raises(TransientFault):
        await store.journal.commit([history_item(3)])
    await store.journal.within(["HISTORY"], Rectangle(0, 0, 0, 0))
    assert seen == [
        ("journal.commit", 1.0, 2),
        ("journal.commit", 1.0, 1),
        ("journal.within", 1.0, 0),
    ]


async def test_every_page_of_a_read_is_a_call() -> None:
    faults = Faults()
    store = faulty(open_memory(), faults)
    await store.journal.commit([history_item(seq) for seq in range(1, 6)])
    pages: AsyncIterator[list[dict[str, object]]] = store.journal.read(["HISTORY"], page=2)
    assert len(await anext(pages)) == 2
    faults.fail("journal.read", FULL, times=1)
    with pytest.raises(TransientFault):
        await anext(pages)


def test_every_operation_that_may_write_is_known_as_a_write() -> None:
    """What the lease and a store for reading alone go by."""
    calls = [
        node
        for node in ast.walk(ast.parse(read("persistence/wrapped.py")))
        if isinstance(node, ast.Call) and ast.unparse(node.func) == "self._around"
    ]
    writes = {ast.literal_eval(call.args[0]) for call in calls if ast.unparse(call.args[1]) != "0"}
    assert writes == WRITES
