"""Stores on DynamoDB for tests: clients of a peer, and the ports over fresh tables."""

from contextlib import AbstractAsyncContextManager
from uuid import uuid4

from persistence.aws.clients import AwsSettings, Clients, open_clients
from persistence.dynamodb.journal import DynamoJournal
from persistence.dynamodb.names import TableNames
from persistence.dynamodb.query import Bulk
from persistence.dynamodb.tables import DynamoTables
from persistence.dynamodb.writer import Writer
from persistence.ports import Store
from tests.contract.wall import Wall
from tests.support.memory_store import MemoryBlobs, MemoryLease


def clients_of(url: str) -> AbstractAsyncContextManager[Clients]:
    """The clients of a peer."""
    return open_clients(AwsSettings("eu-central-1", endpoint_url_dynamodb=url))


def store_on(clients: Clients, names: TableNames, wall: Wall) -> Store:
    """Tables and history in DynamoDB, the rest in memory."""
    bulk = Bulk(clients.bulk, clients.bulk_dynamodb)
    writer = Writer(clients.dynamodb, names, wall_ms=wall, new_token=lambda: str(uuid4()))
    tables = DynamoTables(clients.dynamodb, bulk, names, writer, wall)
    journal = DynamoJournal(clients.dynamodb, bulk, names, writer)
    return Store(tables, journal, MemoryBlobs(), MemoryLease([0, 0, ""]), ordered=False)
