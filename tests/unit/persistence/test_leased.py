"""Writes bound to the lease: nothing is sent without it, and no late answer counts."""

import asyncio
from collections.abc import Callable, Coroutine
from dataclasses import replace
from typing import Any

import pytest

from persistence.errors import TransientFault
from persistence.faulty import Faults, faulty
from persistence.leased import leased
from persistence.ports import Key, Put, Store
from persistence.tables import BANS
from tests.support.memory_store import MemoryLease, open_memory
from tests.support.stores import history_item

BAN = {"PK": "BAN#user#1", "SK": "BAN"}
Write = Callable[[Store], Coroutine[Any, Any, object]]
WRITES: list[Write] = [
    lambda store: store.journal.commit([history_item(1)]),
    lambda store: store.journal.delete([Key("HISTORY", "x")]),
    lambda store: store.tables.write(Put(BANS, BAN)),
    lambda store: store.tables.transact([Put(BANS, BAN)]),
    lambda store: store.blobs.put("a", b"x", {}),
    lambda store: store.blobs.delete("a"),
]


class SwitchedLease(MemoryLease):
    def __init__(self) -> None:
        super().__init__([0, 0, ""])
        self.is_valid = True

    def valid(self) -> bool:
        return self.is_valid


@pytest.fixture
def lease() -> SwitchedLease:
    return SwitchedLease()


@pytest.fixture
def plain(lease: SwitchedLease) -> Store:
    return replace(open_memory(), lease=lease)


@pytest.mark.parametrize("write", WRITES)
async def test_without_the_lease_nothing_is_written(
    plain: Store, lease: SwitchedLease, write: Callable[[Store], Coroutine[Any, Any, object]]
) -> None:
    await write(leased(plain))
    lease.is_valid = False
    faults = Faults()
    for operation in ("journal.commit", "journal.delete", "tables.write", "tables.transact"):
        faults.fail(operation, TransientFault("it was called"))
    with pytest.raises(TransientFault, match="not renewed in time") as refused:
        await write(leased(faulty(plain, faults)))
    assert refused.value.hint


async def test_without_the_lease_everything_can_be_read(plain: Store, lease: SwitchedLease) -> None:
    await plain.journal.commit([history_item(1)])
    lease.is_valid = False
    store = leased(plain)
    assert await store.journal.count(["HISTORY"]) == 1
    assert await store.tables.get(BANS, Key("BAN#user#1", "BAN")) is None
    assert await store.blobs.list("") == []


async def test_a_commit_whose_answer_came_too_late_counts_when_it_is_repeated(
    plain: Store, lease: SwitchedLease
) -> None:
    faults = Faults()
    faults.hold("journal.commit")
    store = leased(faulty(plain, faults))
    committing = asyncio.create_task(store.journal.commit([history_item(1)]))
    await asyncio.sleep(0)
    lease.is_valid = False
    faults.release("journal.commit")
    with pytest.raises(TransientFault, match="not renewed in time"):
        await committing
    lease.is_valid = True
    await store.journal.commit([history_item(1)])
    assert await store.journal.count(["HISTORY"]) == 1
