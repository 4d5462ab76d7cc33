"""A check beside a running server: whatever that does meanwhile is no damage."""

from collections.abc import AsyncIterator, Sequence
from dataclasses import replace
from typing import Any

import pytest

from persistence.errors import TransientFault
from persistence.ports import Item, Key, Store, Update
from persistence.tables import MAIN
from server.care.check.findings import Severity
from server.care.check.store import Report, check_store
from tests.support.disturbing import disturbed
from tests.support.games import NAME
from tests.support.lived import ROWS, lived, paint
from tests.support.memory_store import MemoryJournal, open_memory
from tests.support.runs import Lives

OPERATIONS = ["tables.get", "blobs.list", "blobs.get", "journal.count", "journal.read"]


async def check(store: Store) -> Report:
    return await check_store(store, NAME, lambda *_: None)


@pytest.mark.parametrize("operation", OPERATIONS)
async def test_it_is_painted_and_snapshots_are_stored(operation: str) -> None:
    store = open_memory()
    run = await lived(store)

    async def meanwhile() -> None:
        await paint(run, 2)
        await run.snapshot()

    report = await check(disturbed(store, operation, meanwhile, times=99))
    assert report.findings == []
    assert report.games[0].seq >= ROWS
    await run.die()


@pytest.mark.parametrize("operation", OPERATIONS)
async def test_a_board_grows_and_settings_change(operation: str) -> None:
    store = open_memory()
    run = await lived(store)

    async def meanwhile() -> None:
        run.game.resize("up", 1)
        run.game.change({"locked": True})
        await run.publish()
        await run.snapshot()

    report = await check(disturbed(store, operation, meanwhile))
    assert report.findings == []
    assert report.games[0].height == 11
    await run.die()


async def test_a_board_that_never_stands_still_is_said_to() -> None:
    store = open_memory()
    run = await lived(store)

    async def meanwhile() -> None:
        run.game.resize("up", 1)
        await run.publish()

    with pytest.raises(TransientFault, match="changed each time"):
        await check(disturbed(store, "tables.get", meanwhile, times=99))
    await run.die()


async def test_another_server_takes_over_meanwhile() -> None:
    store = open_memory()
    run = await lived(store)
    await run.die()

    async def meanwhile() -> None:
        lives = Lives(store)
        lives.fence = 2
        await (await lives.start()).die()

    with pytest.raises(TransientFault, match="changed each time"):
        await check(disturbed(store, "journal.read", meanwhile))
    assert (await check(store)).findings == []


class LateJournal(MemoryJournal):
    """Rows that are read for the first time before they are there."""

    def __init__(self, journal: Any, late: set[int]) -> None:
        super().__init__(journal._tables)
        self._late = late

    async def read(self, partitions: Sequence[str], **more: Any) -> AsyncIterator[list[Item]]:
        late, self._late = self._late, set()
        async for page in super().read(partitions, **more):
            yield [row for row in page if row["seq"] not in late]


@pytest.mark.parametrize("late", [{60}, {58, 59}, {22}, {21, 23, 50}, {1, 2, 3}])
async def test_rows_that_were_on_their_way_are_found(late: set[int]) -> None:
    store = open_memory()
    run = await lived(store)
    report = await check(replace(store, ordered=False, journal=LateJournal(store.journal, late)))
    assert report.findings == []
    assert report.games[0].seq == ROWS
    await run.die()


async def test_some_that_were_late_and_one_that_is_lost() -> None:
    store = open_memory()
    run = await lived(store)
    pages = [page async for page in store.journal.read(["HISTORY"], page=ROWS)]
    await store.journal.delete([Key("HISTORY", pages[0][9]["SK"])])
    report = await check(replace(store, journal=LateJournal(store.journal, {8, 9, 11})))
    (finding,) = report.findings
    assert "seq 10 is missing" in finding.what
    await run.die()


async def test_a_writer_without_the_lease_is_damage() -> None:
    store = open_memory()
    run = await lived(store)
    lease = Key("LEASE", "embedded")
    await store.tables.write(Update(MAIN, lease, set={"fence": 2}))
    assert (await check(store)).findings == []
    await store.tables.write(Update(MAIN, lease, set={"fence": 1}))
    (finding,) = (await check(store)).findings
    assert finding.severity is Severity.DAMAGE
    assert "fences up to 1, and 2 has written" in finding.what
    await run.die()
