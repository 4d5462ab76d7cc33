"""The peers of the contract: one process each for the run; fresh tables, an empty bucket a test."""

from collections.abc import AsyncIterator, Iterator
from itertools import count

import pytest

from persistence.aws.clients import Clients
from persistence.dynamodb.admin import create
from persistence.dynamodb.names import TableNames
from tests.support.aws_proxy import AwsProxy, proxying
from tests.support.dynamodb import clients_of
from tests.support.ministack import running_ministack
from tests.support.peers import CREDENTIALS
from tests.support.s3 import empty_bucket, s3_clients_of
from tests.support.seaweedfs import running_seaweedfs

STAGES = count(1)


@pytest.fixture(scope="session")
def dynamodb_url(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    with running_ministack(tmp_path_factory.mktemp("ministack")) as url:
        yield url


@pytest.fixture(scope="session")
def s3_url(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    with running_seaweedfs(tmp_path_factory.mktemp("seaweedfs")) as url:
        yield url


@pytest.fixture
async def dynamodb_proxy(dynamodb_url: str) -> AsyncIterator[AwsProxy]:
    async with proxying(dynamodb_url) as proxy:
        yield proxy


@pytest.fixture
async def s3_proxy(s3_url: str) -> AsyncIterator[AwsProxy]:
    async with proxying(s3_url) as proxy:
        yield proxy


@pytest.fixture
def dynamodb_endpoint(dynamodb_url: str) -> str:
    """Where `clients` call; modules that disturb answers give their proxy."""
    return dynamodb_url


@pytest.fixture
def s3_endpoint(s3_url: str) -> str:
    """Where `s3_clients` call."""
    return s3_url


@pytest.fixture
async def s3_clients(s3_endpoint: str, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[Clients]:
    for name, value in CREDENTIALS.items():
        monkeypatch.setenv(name, value)
    async with s3_clients_of(s3_endpoint) as opened:
        await opened.bulk.run(empty_bucket(opened.bulk_s3))
        yield opened


@pytest.fixture
async def clients(
    dynamodb_endpoint: str, monkeypatch: pytest.MonkeyPatch
) -> AsyncIterator[Clients]:
    for name, value in CREDENTIALS.items():
        monkeypatch.setenv(name, value)
    async with clients_of(dynamodb_endpoint) as opened:
        yield opened


@pytest.fixture
async def names(clients: Clients) -> TableNames:
    """A stage of its own, with its tables made."""
    names = TableNames("contract", f"t{next(STAGES)}")
    await create(clients.dynamodb, names)
    return names
