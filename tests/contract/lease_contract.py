"""What every Lease must do. An adapter's test gives `open_lease`: each call opens a rival."""

import asyncio
from collections.abc import Callable
from contextlib import AbstractAsyncContextManager

import pytest

from persistence.errors import StoreInUse
from persistence.ports import Lease

OpenLease = Callable[[], AbstractAsyncContextManager[Lease]]


class LeaseContract:
    async def test_each_holder_has_a_higher_fence(self, open_lease: OpenLease) -> None:
        fences = []
        for _ in range(3):
            async with open_lease() as lease:
                fences.append(await lease.acquire())
                await lease.release()
        assert fences == sorted(set(fences))

    async def test_a_fence_may_be_asked_for_above_another_stores(
        self, open_lease: OpenLease
    ) -> None:
        async with open_lease() as lease:
            assert await lease.acquire(above=40) == 41
            await lease.release()
            assert await lease.acquire(above=7) == 42
            await lease.release()
            assert await lease.acquire() == 43

    async def test_a_rival_is_refused_while_it_is_held(self, open_lease: OpenLease) -> None:
        async with open_lease() as holder:
            fence = await holder.acquire()
            with pytest.raises(StoreInUse):
                async with open_lease() as rival:
                    await rival.acquire()
            await holder.release()
        async with open_lease() as rival:
            assert await rival.acquire() > fence

    async def test_a_release_may_be_repeated(self, open_lease: OpenLease) -> None:
        async with open_lease() as lease:
            await lease.acquire()
            await lease.release()
            await lease.release()
            assert await lease.acquire() > 0

    async def test_a_rival_is_told_where_the_holder_is_reached(self, open_lease: OpenLease) -> None:
        async with open_lease() as holder:
            await holder.acquire()
            await holder.tell("http://127.0.0.1:8080")
            with pytest.raises(StoreInUse) as refused:
                async with open_lease() as rival:
                    await rival.acquire()
            assert refused.value.url == "http://127.0.0.1:8080"
            await holder.release()
        async with open_lease() as holder:
            await holder.acquire()
            with pytest.raises(StoreInUse) as refused:
                async with open_lease() as rival:
                    await rival.acquire()
            assert refused.value.url == ""

    async def test_anybody_can_see_who_holds_it(self, open_lease: OpenLease) -> None:
        async with open_lease() as lease:
            assert (await lease.look()).fence == 0
            fence = await lease.acquire()
            await lease.tell("http://127.0.0.1:8080")
            held = await lease.look()
            assert (held.fence, held.url) == (fence, "http://127.0.0.1:8080")
            assert held.owner
            assert await lease.look() == held
            assert lease.valid()
            await lease.release()
            after = await lease.look()
            assert (after.fence, after.owner, after.url) == (fence, "", "")

    async def test_it_is_valid_while_it_is_held(self, open_lease: OpenLease) -> None:
        async with open_lease() as lease:
            for _ in range(2):
                await lease.acquire()
                assert lease.valid()
                await lease.release()
                assert not lease.valid()

    async def test_what_is_held_is_not_lost(self, open_lease: OpenLease) -> None:
        async with open_lease() as lease:
            await lease.acquire()
            losing = asyncio.ensure_future(lease.lost())
            await asyncio.sleep(0)
            assert not losing.done()
            losing.cancel()
            await lease.release()
