"""Work under the lease: it ends when the lease is lost, and the lease is given back with it."""

import asyncio

import pytest

from persistence.errors import LeaseLost, StoreDamaged, StoreInUse
from server.recovery.holding import holding
from tests.support.leases import TAKEN, LosableLease
from tests.support.memory_store import MemoryLease


async def test_it_is_held_for_the_block_and_given_back() -> None:
    lease = LosableLease()
    async with holding(lease, above=7) as fence:
        assert fence == 8
        assert lease.valid()
    assert not lease.valid()


async def test_work_that_waits_ends_when_it_is_lost() -> None:
    lease = LosableLease()

    async def work() -> None:
        async with holding(lease):
            lease.take_away()
            await asyncio.Event().wait()

    with pytest.raises(LeaseLost) as lost:
        await work()
    assert lost.value is TAKEN
    assert not lease.valid()


@pytest.mark.parametrize("fault", [StoreDamaged("bad"), TimeoutError()])
async def test_faults_of_the_work_come_as_they_are(fault: Exception) -> None:
    lease = LosableLease()
    with pytest.raises(type(fault)) as raised:
        async with holding(lease):
            raise fault
    assert raised.value is fault
    assert not lease.valid()


async def test_a_cancelled_caller_is_cancelled_and_gives_it_back() -> None:
    lease, begun = LosableLease(), asyncio.Event()

    async def work() -> None:
        async with holding(lease):
            begun.set()
            await asyncio.Event().wait()

    task = asyncio.create_task(work())
    await begun.wait()
    task.cancel()
    await asyncio.wait([task])
    assert task.cancelled()
    assert not lease.valid()


async def test_a_lease_in_use_is_told() -> None:
    shared = [0, 1, "http://127.0.0.1:8080"]
    with pytest.raises(StoreInUse) as busy:
        async with holding(MemoryLease(shared)):
            pytest.fail("it is held by another")
    assert busy.value.url == "http://127.0.0.1:8080"
