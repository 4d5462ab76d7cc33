"""The tests' memory store keeps the contract too, so that what is tested on it holds."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import pytest

from persistence.ports import Lease, Store
from tests.contract.blobs_contract import BlobsContract
from tests.contract.journal_contract import JournalContract
from tests.contract.lease_contract import LeaseContract, OpenLease
from tests.contract.tables_contract import TablesContract
from tests.contract.wall import Wall
from tests.support.memory_store import MemoryLease, open_memory


@pytest.fixture
def wall() -> Wall:
    return Wall(1_760_000_000_000)


@pytest.fixture
def store(wall: Wall) -> Store:
    return open_memory(wall)


@pytest.fixture
def open_lease() -> OpenLease:
    shared = [0, 0, ""]

    @asynccontextmanager
    async def opening() -> AsyncIterator[Lease]:
        yield MemoryLease(shared)

    return opening


class TestTables(TablesContract):
    pass


class TestJournal(JournalContract):
    pass


class TestBlobs(BlobsContract):
    pass


class TestLease(LeaseContract):
    pass
