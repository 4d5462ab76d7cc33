"""The way to AWS: where it is, how long to wait, and the clients of a process.

Owns sessions and clients: one session a loop, since each costs 0.6 MB that is never given back and
holds credentials that it refreshes on its loop; one client a service, and one for the lease alone,
so that throttled history cannot hold back a renewal. Importing this costs 0.3 s and 50 MB: only
what opens the AWS store does.
"""

import os
from collections.abc import AsyncIterator, Iterator
from contextlib import (
    AbstractAsyncContextManager,
    AsyncExitStack,
    asynccontextmanager,
    contextmanager,
)
from dataclasses import dataclass
from functools import cache
from typing import Any, Literal

import aioboto3
from aiobotocore.config import AioConfig
from aiobotocore.session import AioSession
from botocore.exceptions import BotoCoreError
from botocore.loaders import Loader

from persistence.aws.faults import endpoint_fault, library_fault
from persistence.aws.loop import LoopThread

Client = Any
"""A client of aioboto3, which has no types."""
Service = Literal["dynamodb", "s3"]

CONNECTIONS = 16
USER_AGENT = "tesserae"
"""Told as it is: the library would compose a long one twice a call, at a sixth of its cost."""
KEEP_ALIVE = 50.0
"""Seconds; the library's 12 would open a connection anew after every quiet spell."""


@dataclass(frozen=True, slots=True)
class Patience:
    """How long one call may take: `attempts`, the first included, of two times in seconds.

    What waits longer is our queues' to try again. The mode `adaptive` took 125 s where `standard`
    took 10 s, at 50 % throttling.
    """

    connect: float = 2.0
    read: float = 5.0
    attempts: int = 3


LEASE_PATIENCE = Patience(connect=1.0, read=2.0, attempts=2)
"""A renewal is of use only before the lease ends; its keeper tries again by itself."""


@dataclass(frozen=True, slots=True)
class AwsSettings:
    """Where AWS is; credentials come from the usual chain, and so does what is None."""

    region: str | None = None
    endpoint_url_dynamodb: str | None = None
    endpoint_url_s3: str | None = None

    def endpoint_url(self, service: Service) -> str | None:
        """Return where a service is asked instead of AWS."""
        return self.endpoint_url_s3 if service == "s3" else self.endpoint_url_dynamodb


@dataclass(frozen=True, slots=True)
class Clients:
    """What the adapters of one store call."""

    dynamodb: Client
    lease: Client
    """DynamoDB, for the lease alone."""
    bulk: LoopThread
    bulk_dynamodb: Client
    """Used in `bulk` alone."""
    bulk_s3: Client
    """Used in `bulk` alone."""


@asynccontextmanager
async def open_clients(settings: AwsSettings) -> AsyncIterator[Clients]:
    """Open the clients of a process. Raises PermanentFault: no region, no profile, a bad URL."""
    async with AsyncExitStack() as stack:
        yield await _open(settings, stack)


@asynccontextmanager
async def open_client(service: Service, settings: AwsSettings) -> AsyncIterator[Client]:
    """Open one client, for what is no store. Raises PermanentFault as `open_clients` does."""
    async with AsyncExitStack() as stack:
        with _opening():
            client = await stack.enter_async_context(client_of(_session(), service, settings))
        yield client


async def _open(settings: AwsSettings, stack: AsyncExitStack) -> Clients:
    with _opening():
        session, aside = _session(), _session()
        bulk = LoopThread("aws-bulk")
        stack.push_async_callback(bulk.close)

        async def here(patience: Patience) -> Client:
            client = client_of(session, "dynamodb", settings, patience)
            return await stack.enter_async_context(client)

        async def there(service: Service) -> Client:
            manager = client_of(aside, service, settings)
            return await stack.enter_async_context(bulk.entered(manager))

        return Clients(
            dynamodb=await here(Patience()),
            lease=await here(LEASE_PATIENCE),
            bulk=bulk,
            bulk_dynamodb=await there("dynamodb"),
            bulk_s3=await there("s3"),
        )


@contextmanager
def _opening() -> Iterator[None]:
    try:
        yield
    except BotoCoreError as error:
        raise library_fault(error, "AWS") from error
    except ValueError as error:
        raise endpoint_fault(error) from error


@cache
def _loader() -> Loader:
    """Return what reads the services' descriptions: 0.4 s for each loader that is made."""
    return Loader()


def _session() -> aioboto3.Session:
    session = AioSession()
    session.register_component("data_loader", _loader())
    return aioboto3.Session(botocore_session=session)


def client_of(
    session: aioboto3.Session,
    service: Service,
    settings: AwsSettings,
    patience: Patience = Patience(),
) -> AbstractAsyncContextManager[Client]:
    """Return a client to be entered on the loop that uses it."""
    manager: AbstractAsyncContextManager[Client] = session.client(
        service,
        # The library knows AWS_DEFAULT_REGION alone, while containers on AWS are given AWS_REGION.
        region_name=settings.region or os.environ.get("AWS_REGION"),
        endpoint_url=settings.endpoint_url(service),
        config=AioConfig(
            connect_timeout=patience.connect,
            read_timeout=patience.read,
            retries={"mode": "standard", "total_max_attempts": patience.attempts},
            parameter_validation=False,
            user_agent=USER_AGENT,
            max_pool_connections=CONNECTIONS,
            connector_args={"keepalive_timeout": KEEP_ALIVE},
        ),
    )
    return manager
