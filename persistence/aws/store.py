"""The AWS store: the tables and the bucket of one stage, composed to the ports of a store.

Owns the order in which it opens: clients, then a look whether tables and bucket are there and fit,
within a bounded time, and nothing is written before. The lease is the caller's to take; it is given
back when the store closes. A store opened with `read_only` has none and works beside the writer.
"""

import secrets
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass
from uuid import uuid4

from persistence.aws.clients import AwsSettings, Client, Clients, open_clients
from persistence.dynamodb.admin import describe
from persistence.dynamodb.journal import COMMIT_INTERVAL, DynamoJournal
from persistence.dynamodb.lease import DynamoLease
from persistence.dynamodb.lease_record import (
    LeaseEvents,
    LeaseSettings,
    LeaseTime,
    this_process,
)
from persistence.dynamodb.names import TableNames
from persistence.dynamodb.query import Bulk
from persistence.dynamodb.tables import DynamoTables
from persistence.dynamodb.writer import Writer
from persistence.errors import PermanentFault, TransientFault
from persistence.opening import OpeningEvents
from persistence.ports import Blobs, Store
from persistence.read_only import read_only as reading_only
from persistence.s3.blobs import S3Blobs
from persistence.shapes import obstacles

PATIENCE = 30.0
"""Seconds for which a store that does not answer is tried; a start that never ends tells nobody
that the region is wrong."""
PAUSE = 3.0
PROBE = "canvas/canvas.bin"
"""Any key shows whether the bucket may be listed."""
_UNFIT = (
    "is the region right, and the stage? `tesserae tables create` makes what is missing, "
    "`tesserae tables check` tells all that differs"
)


@dataclass(frozen=True, slots=True)
class AwsStore:
    """Which store it is, and how its lease is taken."""

    place: AwsSettings
    names: TableNames
    bucket: str
    leased: str
    """What the lease is of: the game's name."""
    lease_seconds: float
    waits: bool
    """Whether `Lease.acquire` waits for another holder to go."""


@asynccontextmanager
async def open_aws(
    settings: AwsStore, time: LeaseTime, told: OpeningEvents, *, read_only: bool = False
) -> AsyncIterator[Store]:
    """Open the store.

    Raises PermanentFault with the remedy (no credentials, no access, tables or bucket that are
    missing or do not fit) and TransientFault when nobody answers for `PATIENCE` seconds.
    """
    async with AsyncExitStack() as stack:
        clients = await stack.enter_async_context(open_clients(settings.place))
        blobs = S3Blobs(clients.bulk, clients.bulk_s3, settings.bucket)
        await _until_it_answers(clients, settings.names, blobs, time, told)
        store = _composed(settings, clients, blobs, time, told)
        if read_only:
            yield reading_only(store)
            return
        stack.push_async_callback(store.lease.release)
        yield store


def _composed(
    settings: AwsStore, clients: Clients, blobs: S3Blobs, time: LeaseTime, told: OpeningEvents
) -> Store:
    names, bulk = settings.names, Bulk(clients.bulk, clients.bulk_dynamodb)
    writer = _writer(clients.dynamodb, names, time)
    return Store(
        DynamoTables(clients.dynamodb, bulk, names, writer, time.wall_ms),
        DynamoJournal(clients.dynamodb, bulk, names, writer),
        blobs,
        _lease(settings, clients, bulk, time, told),
        ordered=False,
        commit_interval=COMMIT_INTERVAL,
    )


def _lease(
    settings: AwsStore, clients: Clients, bulk: Bulk, time: LeaseTime, told: OpeningEvents
) -> DynamoLease:
    """Compose the lease on tables of its own, which history cannot hold back."""
    writer = _writer(clients.lease, settings.names, time)
    owner = this_process(secrets.token_hex(4))
    return DynamoLease(
        DynamoTables(clients.lease, bulk, settings.names, writer, time.wall_ms),
        LeaseSettings(settings.leased, owner, settings.lease_seconds, waits=settings.waits),
        time,
        LeaseEvents(told.waiting, told.troubled),
    )


def _writer(client: Client, names: TableNames, time: LeaseTime) -> Writer:
    return Writer(client, names, wall_ms=time.wall_ms, new_token=lambda: str(uuid4()))


async def _until_it_answers(
    clients: Clients, names: TableNames, blobs: Blobs, time: LeaseTime, told: OpeningEvents
) -> None:
    """Look at everything once that a server needs, and again while nobody answers."""
    end = time.monotonic() + PATIENCE
    while True:
        try:
            await _check_tables(clients, names)
            await blobs.list(PROBE)
        except TransientFault as fault:
            left = end - time.monotonic()
            if left <= 0:
                raise
            told.away(fault, left)
        else:
            return
        await time.sleep(PAUSE)


async def _check_tables(clients: Clients, names: TableNames) -> None:
    """Raise PermanentFault naming every difference on which no server can stand."""
    # By the client that waits the shortest: a place that does not answer is told sooner.
    found = [each for table in await describe(clients.lease, names) for each in obstacles(table)]
    if found:
        raise PermanentFault("the tables cannot be used: " + "; ".join(found), _UNFIT)
