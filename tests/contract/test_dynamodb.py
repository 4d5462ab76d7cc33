"""The store on DynamoDB keeps the contract, on a real peer."""

import pytest

from persistence.aws.clients import Clients
from persistence.dynamodb.names import TableNames
from persistence.ports import Store
from tests.contract.journal_contract import JournalContract
from tests.contract.tables_contract import TablesContract
from tests.contract.wall import Wall
from tests.support.dynamodb import store_on


@pytest.fixture
def wall() -> Wall:
    return Wall(1_760_000_000_000)


@pytest.fixture
def store(clients: Clients, names: TableNames, wall: Wall) -> Store:
    return store_on(clients, names, wall)


class TestTables(TablesContract):
    pass


class TestJournal(JournalContract):
    pass
