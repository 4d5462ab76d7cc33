"""The store on DynamoDB keeps the contract, on a real peer."""

from collections.abc import AsyncIterator, Iterator
from itertools import count
from uuid import uuid4

import pytest

from persistence.aws import AwsSettings, Clients, open_clients
from persistence.dynamodb_admin import create
from persistence.dynamodb_journal import DynamoJournal
from persistence.dynamodb_names import TableNames
from persistence.dynamodb_query import Bulk
from persistence.dynamodb_tables import DynamoTables
from persistence.dynamodb_writer import Writer
from persistence.ports import Store
from tests.contract.journal_contract import JournalContract
from tests.contract.tables_contract import TablesContract
from tests.contract.wall import Wall
from tests.support.memory_store import MemoryBlobs, MemoryLease
from tests.support.ministack import CREDENTIALS, running_ministack

STAGES = count(1)


@pytest.fixture(scope="session")
def dynamodb_url(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    with running_ministack(tmp_path_factory.mktemp("ministack")) as url:
        yield url


@pytest.fixture
async def clients(dynamodb_url: str, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[Clients]:
    for name, value in CREDENTIALS.items():
        monkeypatch.setenv(name, value)
    settings = AwsSettings("eu-central-1", endpoint_url_dynamodb=dynamodb_url)
    async with open_clients(settings) as opened:
        yield opened


@pytest.fixture
def wall() -> Wall:
    return Wall(1_760_000_000_000)


@pytest.fixture
async def names(clients: Clients) -> TableNames:
    names = TableNames("contract", f"t{next(STAGES)}")
    await create(clients.dynamodb, names)
    return names


@pytest.fixture
def store(clients: Clients, names: TableNames, wall: Wall) -> Store:
    bulk = Bulk(clients.bulk, clients.bulk_dynamodb)
    writer = Writer(clients.dynamodb, names, wall_ms=wall, new_token=lambda: str(uuid4()))
    tables = DynamoTables(clients.dynamodb, bulk, names, writer, wall)
    journal = DynamoJournal(clients.dynamodb, bulk, names, writer)
    return Store(tables, journal, MemoryBlobs(), MemoryLease([0, 0, ""]), ordered=False)


class TestTables(TablesContract):
    pass


class TestJournal(JournalContract):
    pass
