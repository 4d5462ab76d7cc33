"""A store for reading alone refuses every write by itself, and has no lease to take."""

import asyncio

import pytest

from persistence.errors import PermanentFault
from persistence.ports import Holding, Key
from persistence.read_only import read_only
from persistence.tables import BANS
from tests.support.memory_store import open_memory
from tests.support.stores import history_item
from tests.unit.persistence.test_leased import WRITES, Write


@pytest.mark.parametrize("write", WRITES)
async def test_nothing_is_written(write: Write) -> None:
    plain = open_memory()
    with pytest.raises(PermanentFault, match="opened for reading") as refused:
        await write(read_only(plain))
    assert refused.value.hint
    assert await plain.journal.count(["HISTORY"]) == 0
    assert await plain.blobs.list("") == []


async def test_everything_can_be_read() -> None:
    plain = open_memory()
    await plain.journal.commit([history_item(1)])
    await plain.blobs.put("a", b"x", {})
    store = read_only(plain)
    assert await store.journal.count(["HISTORY"]) == 1
    assert await store.blobs.get("a") is not None
    assert await store.tables.get(BANS, Key("BAN#user#1", "BAN")) is None


async def test_there_is_no_lease() -> None:
    lease = read_only(open_memory()).lease
    with pytest.raises(PermanentFault):
        await lease.acquire()
    assert not lease.valid()
    assert await lease.look() == Holding(0)
    await lease.tell("http://127.0.0.1")
    await lease.release()
    losing = asyncio.ensure_future(lease.lost())
    await asyncio.sleep(0)
    assert not losing.done()
    losing.cancel()
