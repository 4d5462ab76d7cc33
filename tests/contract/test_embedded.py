"""The embedded store keeps the contract."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from persistence.embedded.store import open_embedded
from persistence.ports import Lease, Store
from tests.contract.blobs_contract import BlobsContract
from tests.contract.journal_contract import JournalContract
from tests.contract.lease_contract import LeaseContract, OpenLease
from tests.contract.tables_contract import TablesContract
from tests.contract.wall import Wall


@pytest.fixture
def wall() -> Wall:
    return Wall(1_760_000_000_000)


@pytest.fixture
async def store(tmp_path: Path, wall: Wall) -> AsyncIterator[Store]:
    async with open_embedded(tmp_path / "data", wall_ms=wall) as opened:
        yield opened


@pytest.fixture
def open_lease(tmp_path: Path, wall: Wall) -> OpenLease:
    @asynccontextmanager
    async def opening() -> AsyncIterator[Lease]:
        async with open_embedded(tmp_path / "data", wall_ms=wall) as opened:
            yield opened.lease

    return opening


class TestTables(TablesContract):
    pass


class TestJournal(JournalContract):
    pass


class TestBlobs(BlobsContract):
    pass


class TestLease(LeaseContract):
    pass
