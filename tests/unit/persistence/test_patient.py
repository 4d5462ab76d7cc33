"""A store that is away is waited for, and told of; not for ever, nor where it may do harm."""

from collections.abc import AsyncIterator, Sequence
from dataclasses import replace
from typing import Any

import pytest

from persistence.errors import PermanentFault, StoreDamaged, TransientFault
from persistence.faulty import Faults, faulty
from persistence.patient import PAUSES, patient
from persistence.ports import Item, Put, Store
from persistence.tables import BANS
from tests.support.memory_store import open_memory
from tests.support.stores import history_item
from tests.support.unexpected import unexpected

BAN = {"PK": "BAN#user#a", "SK": "BAN"}


class Waiting:
    """A patient store over a script of faults; what it told and how long it slept."""

    def __init__(self) -> None:
        self.faults = Faults()
        self.told: list[str] = []
        self.slept: list[float] = []
        self.store: Store = patient(
            faulty(open_memory(), self.faults),
            lambda fault: self.told.append(str(fault)),
            self._sleep,
        )

    async def _sleep(self, pause: float) -> None:
        self.slept.append(pause)


async def test_calls_are_repeated_until_the_store_is_back() -> None:
    waiting = Waiting()
    waiting.faults.fail("tables.write", TransientFault("throttled"), times=3)
    await waiting.store.tables.write(Put(BANS, BAN))
    assert waiting.told == ["throttled"] * 3
    assert waiting.slept == list(PAUSES[:3])
    assert (await waiting.store.tables.scan(BANS)).items == [BAN]


async def test_a_store_that_stays_away_is_told_in_the_end() -> None:
    waiting = Waiting()
    waiting.faults.fail("blobs.list", TransientFault("away"))
    with pytest.raises(TransientFault):
        await waiting.store.blobs.list("")
    assert waiting.slept == list(PAUSES)


async def test_what_repeating_does_not_mend_is_raised_at_once() -> None:
    waiting = Waiting()
    waiting.faults.fail("tables.scan", PermanentFault("no access"))
    with pytest.raises(PermanentFault):
        await waiting.store.tables.scan(BANS)
    assert (waiting.told, waiting.slept) == ([], [])


def shared(seq: int, partition: str) -> Item:
    """An item whose sort key others have in other partitions."""
    return {"PK": partition, "SK": f"ts#{seq:04}", "seq": seq}


class Breaking:
    """A journal whose readings break off, each after so many pages; None: not at all."""

    def __init__(self, store: Store, *breaks: int | None) -> None:
        self._journal = store.journal
        self._breaks = list(breaks)
        self.begun: list[str] = []

    def __getattr__(self, name: str) -> Any:
        return getattr(self._journal, name)

    async def read(
        self, partitions: Sequence[str], *, after: str = "", page: int = 5000, **bounds: Any
    ) -> AsyncIterator[list[Item]]:
        self.begun.append(after)
        left = self._breaks.pop(0)
        async for items in self._journal.read(partitions, after=after, page=page, **bounds):
            if left == 0:
                raise TransientFault("throttled")
            left = None if left is None else left - 1
            yield items


def breaking(store: Store, *breaks: int | None) -> tuple[Store, Breaking, list[float]]:
    journal, slept = Breaking(store, *breaks), list[float]()

    async def sleep(pause: float) -> None:
        slept.append(pause)

    return patient(replace(store, journal=journal), lambda _: None, sleep), journal, slept


@pytest.mark.parametrize("page", [1, 2, 3, 7, 1000])
@pytest.mark.parametrize("first", [0, 1, 2, 5])
async def test_a_broken_reading_goes_on_and_gives_each_item_once(page: int, first: int) -> None:
    store = open_memory()
    names = ("HISTORY", "HISTORY#s00", "HISTORY#s01")
    items = [shared(seq, name) for seq in range(1, 6) for name in names]
    await store.journal.commit(items)
    waiting, journal, slept = breaking(store, first, 2, 2, *[4] * 20, None)
    reading = waiting.journal.read(names, after="ts#0001", up_to="ts#0004", page=page)
    found = [item async for each in reading for item in each]
    assert found == [item for item in items if 2 <= item["seq"] <= 4]
    assert len(slept) == len(journal.begun) - 1


async def test_a_reading_begins_near_where_it_broke_off() -> None:
    store = open_memory()
    await store.journal.commit([history_item(seq) for seq in range(1, 101)])
    waiting, journal, slept = breaking(store, 5, None)
    pages = [page async for page in waiting.journal.read(["HISTORY"], page=10)]
    assert [item["seq"] for page in pages for item in page] == list(range(1, 101))
    assert journal.begun == ["", history_item(49)["SK"]]
    assert slept == [PAUSES[0]]


async def test_patience_begins_anew_with_each_page_and_ends_without_one() -> None:
    store = open_memory()
    await store.journal.commit([history_item(seq) for seq in range(1, 9)])
    waiting, _, slept = breaking(store, 1, 0, 0, *[2] * 5, *[0] * 20)
    found: list[Item] = []

    async def read() -> None:
        async for page in waiting.journal.read(["HISTORY"], page=1):
            found.extend(page)

    with pytest.raises(TransientFault, match="throttled"):
        await read()
    assert [item["seq"] for item in found] == list(range(1, 7))
    assert slept == [*PAUSES[:3], *[PAUSES[0]] * 4, *PAUSES]


async def test_damage_ends_a_reading_at_once() -> None:
    faults = Faults()
    store = patient(faulty(open_memory(), faults), unexpected)
    faults.fail("journal.read", StoreDamaged("torn"))
    with pytest.raises(StoreDamaged):
        _ = [page async for page in store.journal.read(["HISTORY"])]
