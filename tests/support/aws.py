"""The AWS store for processes: peers for a test run, and a stage of its own for each test.

`aws_peers` and `aws_stage` are fixtures; a conftest imports those that it wants.
"""

import asyncio
from collections.abc import Iterator
from contextlib import AbstractAsyncContextManager, ExitStack
from dataclasses import dataclass, replace
from itertools import count
from pathlib import Path
from typing import Any

import pytest

from persistence.aws.clients import AwsSettings, open_clients
from persistence.aws.store import AwsStore, open_aws
from persistence.dynamodb.admin import create
from persistence.dynamodb.lease_record import LeaseTime
from persistence.dynamodb.names import TableNames
from persistence.opening import OpeningEvents
from persistence.ports import Store
from server.clock import SystemClock
from server.game.names import DEFAULT_GAME
from server.recovery.stored_snapshot import newest_key
from tests.support.crowd import FLAGS, LOOK_EVERY_S
from tests.support.microburst import Microburst, running_microburst
from tests.support.ministack import running_ministack
from tests.support.ordeal import Scene
from tests.support.peers import CREDENTIALS, PATIENCE_S
from tests.support.processes import ServerProcess
from tests.support.seaweedfs import running_seaweedfs

REGION = "eu-central-1"
PREFIX = "proc"
LEASE = ("--lease-time", "2")
DEAF = OpeningEvents(lambda *_: None, lambda *_: None, lambda _: None)
SECRET = "0123456789abcdef" * 4
NUMBERS = count(1)


@dataclass(frozen=True, slots=True)
class AwsPeers:
    """Where the peers are reached."""

    dynamodb_url: str
    s3_url: str


@dataclass(frozen=True, slots=True)
class AwsStage:
    """Fresh tables and an empty bucket, and where they are."""

    peers: AwsPeers
    names: TableNames
    bucket: str

    def through(self, *, dynamodb_url: str | None = None, s3_url: str | None = None) -> "AwsStage":
        """The same stage, reached through a proxy."""
        peers = AwsPeers(dynamodb_url or self.peers.dynamodb_url, s3_url or self.peers.s3_url)
        return replace(self, peers=peers)

    def reading(self) -> AbstractAsyncContextManager[Store]:
        """Its store as somebody opens it who only reads."""
        return self._opened(read_only=True)

    def writing(self) -> AbstractAsyncContextManager[Store]:
        """Its store as its one writer opens it."""
        return self._opened(read_only=False)

    def _opened(self, *, read_only: bool) -> AbstractAsyncContextManager[Store]:
        clock = SystemClock()
        store = AwsStore(
            self.settings,
            self.names,
            self.bucket,
            leased=DEFAULT_GAME,
            lease_seconds=2,
            waits=False,
        )
        time = LeaseTime(lambda: clock.monotonic_ms() / 1000, clock.wall_ms)
        return open_aws(store, time, DEAF, read_only=read_only)

    async def has_snapshot(self) -> None:
        """Wait until there is one."""
        async with asyncio.timeout(PATIENCE_S), self.reading() as store:
            while await store.blobs.get(newest_key(DEFAULT_GAME)) is None:  # noqa: ASYNC110 - S3 tells nobody
                await asyncio.sleep(LOOK_EVERY_S)

    def scene(self, data: Path) -> Scene:
        """A server on it for a crowd."""
        return Scene(ServerProcess(data, *FLAGS, *self.flags()), self.reading)

    @property
    def settings(self) -> AwsSettings:
        return AwsSettings(REGION, self.peers.dynamodb_url, self.peers.s3_url)

    def place(self) -> tuple[str, ...]:
        """The flags of a command that name this store."""
        return self.flags()[: -len(LEASE)]

    def flags(self, **other: Any) -> tuple[str, ...]:
        """The flags of a server on this store; `other` ones win, None takes away."""
        named = {
            "store": "aws",
            "stage": self.names.stage,
            "table_prefix": self.names.prefix,
            "bucket": self.bucket,
            "region": REGION,
            "endpoint_url_dynamodb": self.peers.dynamodb_url,
            "endpoint_url_s3": self.peers.s3_url,
            "lease_time": 2,
            **other,
        }
        given = {name: value for name, value in named.items() if value is not None}
        pairs = [(f"--{name.replace('_', '-')}", str(value)) for name, value in given.items()]
        return tuple(word for pair in pairs for word in pair)


@pytest.fixture(scope="session")
def aws_peers(tmp_path_factory: pytest.TempPathFactory) -> Iterator[AwsPeers]:
    """One process for each service, for the whole run."""
    with ExitStack() as stack:
        dynamodb = running_ministack(tmp_path_factory.mktemp("ministack"))
        s3 = running_seaweedfs(tmp_path_factory.mktemp("seaweedfs"))
        yield AwsPeers(stack.enter_context(dynamodb), stack.enter_context(s3))


@pytest.fixture(scope="session")
def microburst(
    aws_peers: AwsPeers, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Microburst]:
    """Faults before DynamoDB: one process for the whole run."""
    with running_microburst(tmp_path_factory.mktemp("faults"), aws_peers.dynamodb_url) as faults:
        yield faults


@pytest.fixture
async def aws_stage(aws_peers: AwsPeers, monkeypatch: pytest.MonkeyPatch) -> AwsStage:
    """A stage with its tables and its bucket; credentials and the secret are in the environment."""
    for name, value in {**CREDENTIALS, "TESSERAE_SECRET": SECRET}.items():
        monkeypatch.setenv(name, value)
    number = next(NUMBERS)
    stage = AwsStage(aws_peers, TableNames(PREFIX, f"t{number}"), f"proc-{number}")
    async with open_clients(stage.settings) as clients:
        await create(clients.dynamodb, stage.names)
        place = {"LocationConstraint": REGION}
        await clients.bulk.run(
            clients.bulk_s3.create_bucket(Bucket=stage.bucket, CreateBucketConfiguration=place)
        )
    return stage
