"""How each `--store` is opened: the part of the composition root that commands share with it.

What a store stands on is loaded only when that one is chosen: the AWS library takes 0.3 s and
50 MB. Called by app.py, and by `server.cli.stores` for commands.
"""

from collections.abc import AsyncIterator
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from typing import TYPE_CHECKING, Any

from persistence.leased import leased
from persistence.opening import OpeningEvents
from persistence.patient import patient
from persistence.ports import Store
from persistence.shapes import TableKeeper
from server.clock import Clock, since_boot
from server.config import Settings
from server.game.names import DEFAULT_GAME

if TYPE_CHECKING:
    from persistence.aws.clients import AwsSettings
    from persistence.dynamodb.names import TableNames

OpenedStore = AbstractAsyncContextManager[Store]


@asynccontextmanager
async def open_for_command(
    settings: Settings,
    clock: Clock,
    told: OpeningEvents,
    *,
    read_only: bool = False,
    waits_out: bool = False,
) -> AsyncIterator[Store]:
    """Open the store for a command: whoever holds the lease is not waited for.

    With `waits_out` its calls are repeated while it is away, which `told.troubled` hears of.
    """
    settings = settings.model_copy(update={"lease": "fail"})
    async with open_store(settings, clock, told, read_only=read_only) as store:
        writing = store if read_only else leased(store)
        yield patient(writing, told.troubled) if waits_out else writing


def open_store(
    settings: Settings, clock: Clock, told: OpeningEvents, *, read_only: bool = False
) -> OpenedStore:
    """Open the store that the settings name. Raises StoreError."""
    opener = _open_aws if settings.store == "aws" else _open_embedded
    return opener(settings, clock, told, read_only=read_only)


@asynccontextmanager
async def open_keeper(settings: Settings) -> AsyncIterator[TableKeeper]:
    """Open what makes and describes the tables of `--store aws`. Raises StoreError."""
    from persistence.aws.keeper import open_keeper as opening  # noqa: PLC0415

    async with opening(_aws_place(settings), _table_names(settings)) as keeper:
        yield keeper


def policy_for(settings: Settings, region: str, account: str, purpose: str) -> dict[str, Any]:
    """Return what AWS has to allow for `serve`, `read` or `create`."""
    from persistence.aws.policy import Place, Purpose, policy  # noqa: PLC0415

    names, place = _table_names(settings), Place(region, account)
    return policy(names, _bucket(settings), place, Purpose(purpose))


def _open_embedded(
    settings: Settings, clock: Clock, told: OpeningEvents, *, read_only: bool
) -> OpenedStore:
    from persistence.embedded.store import open_embedded  # noqa: PLC0415

    del told  # it opens at once, or not at all
    return open_embedded(settings.data, wall_ms=clock.wall_ms, read_only=read_only)


def _open_aws(
    settings: Settings, clock: Clock, told: OpeningEvents, *, read_only: bool
) -> OpenedStore:
    from persistence.aws.store import AwsStore, open_aws  # noqa: PLC0415
    from persistence.dynamodb.lease_record import LeaseTime  # noqa: PLC0415

    return open_aws(
        AwsStore(
            _aws_place(settings),
            _table_names(settings),
            _bucket(settings),
            leased=DEFAULT_GAME,
            lease_seconds=settings.lease_time,
            waits=settings.lease == "wait",
        ),
        LeaseTime(since_boot, clock.wall_ms),
        told,
        read_only=read_only,
    )


def _aws_place(settings: Settings) -> "AwsSettings":
    from persistence.aws.clients import AwsSettings  # noqa: PLC0415

    return AwsSettings(settings.region, settings.endpoint_url_dynamodb, settings.endpoint_url_s3)


def _table_names(settings: Settings) -> "TableNames":
    from persistence.dynamodb.names import TableNames  # noqa: PLC0415

    return TableNames(settings.table_prefix, settings.stage)


def _bucket(settings: Settings) -> str:
    assert settings.bucket is not None  # noqa: S101 - the configuration was checked
    return settings.bucket
