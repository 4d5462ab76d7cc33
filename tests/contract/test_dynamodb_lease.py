"""The lease by time keeps the contract, over tables in memory and over a real peer."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from itertools import count

import pytest

from persistence.aws.clients import Clients
from persistence.dynamodb.lease_record import this_process
from persistence.dynamodb.names import TableNames
from persistence.ports import Lease, Tables
from tests.contract.lease_contract import LeaseContract, OpenLease
from tests.contract.lease_races import LeaseRaces, Race, Runner
from tests.contract.wall import Wall
from tests.support.answers import Answers
from tests.support.aws_proxy import AwsProxy
from tests.support.dynamodb import store_on
from tests.support.memory_store import open_memory
from tests.support.virtual_time import WALL_MS


class OnItsOwnTime:
    """A lease whose `acquire` lets time pass; the rest is its own."""

    def __init__(self, race: Race, runner: Runner) -> None:
        self._race = race
        self._runner = runner
        self.valid = runner.lease.valid
        self.lost = runner.lease.lost
        self.tell = runner.lease.tell
        self.look = runner.lease.look
        self.release = runner.lease.release

    async def acquire(self, *, above: int = 0) -> int:
        return await self._race.acquire(self._runner, above)


class InMemory:
    @pytest.fixture
    def tables(self) -> Tables:
        return open_memory().tables


class OnDynamoDB:
    @pytest.fixture
    def tables(self, clients: Clients, names: TableNames) -> Tables:
        return store_on(clients, names, Wall(WALL_MS)).tables


@pytest.fixture
async def race(tables: Tables) -> AsyncIterator[Race]:
    race = Race(tables)
    yield race
    await race.end()


@pytest.fixture
def open_lease(race: Race) -> OpenLease:
    tokens = count(1)

    @asynccontextmanager
    async def opening() -> AsyncIterator[Lease]:
        runner = race.runner(this_process(str(next(tokens))))
        yield OnItsOwnTime(race, runner)
        await runner.release()

    return opening


class TestLeaseInMemory(InMemory, LeaseContract):
    pass


class TestRacesInMemory(InMemory, LeaseRaces):
    pass


class TestLeaseOnDynamoDB(OnDynamoDB, LeaseContract):
    pass


class TestRacesOnDynamoDB(OnDynamoDB, LeaseRaces):
    @pytest.fixture
    def dynamodb_endpoint(self, dynamodb_proxy: AwsProxy) -> str:
        return dynamodb_proxy.url

    async def test_answers_that_are_lost_change_nothing(
        self, race: Race, dynamodb_proxy: AwsProxy
    ) -> None:
        puts = Answers(dynamodb_proxy, "PutItem")
        puts.lose()
        holder = race.runner("a")
        assert await race.acquire(holder) == 1
        assert puts.sent == 2
        updates = Answers(dynamodb_proxy, "UpdateItem")
        updates.lose()
        await race.time.advance(60)
        assert updates.sent > 2
        assert holder.lease.valid()
        assert holder.troubles == []
        assert await race.item() is not None
