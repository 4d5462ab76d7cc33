"""The tables of one stage in DynamoDB: made, described and compared with their declaration.

Makes what is missing and never changes or removes what is there; `check` names every difference.
Called by the command line and by tests, never by a running server.
"""

import asyncio
from collections.abc import Awaitable, Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from botocore.exceptions import ClientError

from persistence.aws.clients import Client
from persistence.aws.faults import code_of
from persistence.dynamodb.faults import translated
from persistence.dynamodb.names import TableNames
from persistence.errors import TransientFault
from persistence.ports import Index, Table
from persistence.tables import ALL

MAX_LOOKS = 150
LOOK_INTERVAL = 2.0
"""Seconds between looks at a table that is being made: five minutes in all."""
_NO_TABLE = "ResourceNotFoundException"
_ON_DEMAND = "PAY_PER_REQUEST"
_SERVING = ("ACTIVE", "UPDATING")

Progress = Callable[[str], None]
"""Called with the name of each table that was made."""


@dataclass(frozen=True, slots=True)
class Shape:
    """What a table looks like: as declared, or as found. Keys are (name, type) of both keys."""

    keys: tuple[tuple[str, str], ...]
    billing: str
    ttl: str | None
    indexes: dict[str, "IndexShape"]


@dataclass(frozen=True, slots=True)
class IndexShape:
    """What an index looks like."""

    keys: tuple[tuple[str, str], ...]
    projection: str
    """`ALL`, `KEYS_ONLY`, or `INCLUDE` with the names in order."""


@dataclass(frozen=True, slots=True)
class Found:
    """A table of the stage as it is in DynamoDB."""

    table: Table
    name: str
    status: str
    """`ACTIVE`, `CREATING`, … or `MISSING`."""
    shape: Shape | None = None
    item_count: int = 0
    """As DynamoDB tells it, up to six hours old."""
    size_bytes: int = 0


async def create(
    client: Client,
    names: TableNames,
    *,
    progress: Progress = lambda _: None,
    sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
) -> list[str]:
    """Make the tables that are missing and return their names; those that are there are left."""
    made = []
    for table in ALL:
        name = names.of(table)
        if await _make(client, table, name):
            await _until_active(client, table, name, sleep)
            await _set_ttl(client, table, name)
            made.append(name)
            progress(name)
    return made


async def describe(client: Client, names: TableNames) -> list[Found]:
    """Look at every table of the stage."""
    return [await _look(client, table, names.of(table)) for table in ALL]


async def check(client: Client, names: TableNames) -> list[str]:
    """Return every difference from the declaration as a sentence; none when all is right."""
    return [each for found in await describe(client, names) for each in differences(found)]


def differences(found: Found) -> Iterator[str]:
    """Yield how a table differs from its declaration."""
    yield from obstacles(found)
    wanted, shape = declared(found.table), found.shape
    if shape is None:
        return
    if found.status == "UPDATING":
        yield f"{found.name}: is being changed"
    for what, have, want in (
        ("billing", shape.billing, wanted.billing),
        ("TTL attribute", shape.ttl, wanted.ttl),
    ):
        if have != want:
            yield f"{found.name}: {what} {have or 'none'}, not {want or 'none'}"
    for index in shape.indexes.keys() - wanted.indexes.keys():
        yield f"{found.name}: index {index} is not declared, and every write pays for it"


def obstacles(found: Found) -> Iterator[str]:
    """Yield those differences on which no server can stand."""
    wanted, shape = declared(found.table), found.shape
    if shape is None:
        yield f"{found.name}: there is no such table"
        return
    if found.status not in _SERVING:
        yield f"{found.name}: is {found.status}, not ACTIVE"
    if shape.keys != wanted.keys:
        yield f"{found.name}: keys {_told(shape.keys)}, not {_told(wanted.keys)}"
    yield from _index_obstacles(found.name, shape, wanted)


def declared(table: Table) -> Shape:
    """Return what a table must look like."""
    return Shape(
        keys=((table.partition, "S"), (table.sort, "S")),
        billing=_ON_DEMAND,
        ttl=table.ttl,
        indexes={index.name: _declared_index(index) for index in table.indexes},
    )


def _declared_index(index: Index) -> IndexShape:
    keys = ((index.partition, "S"), (index.sort, index.sort_type))
    if index.include is None:
        return IndexShape(keys, "ALL")
    return IndexShape(keys, _projection("INCLUDE", index.include))


def _projection(kind: str, names: Sequence[str]) -> str:
    return f"{kind} {', '.join(sorted(names))}" if names else kind


def _told(keys: Sequence[tuple[str, str]]) -> str:
    return " + ".join(f"{name} ({kind})" for name, kind in keys)


def _index_obstacles(name: str, shape: Shape, wanted: Shape) -> Iterator[str]:
    for index, want in wanted.indexes.items():
        have = shape.indexes.get(index)
        if have is None:
            yield f"{name}: there is no index {index}"
            continue
        if have.keys != want.keys:
            yield f"{name}: index {index}: keys {_told(have.keys)}, not {_told(want.keys)}"
        if have.projection != want.projection:
            yield f"{name}: index {index}: projects {have.projection}, not {want.projection}"


async def _make(client: Client, table: Table, name: str) -> bool:
    """Begin to make a table; returns False when it is there."""
    if (await _look(client, table, name)).shape is not None:
        return False
    with translated(name):
        await client.create_table(**definition(table, name))
    return True


def definition(table: Table, name: str) -> dict[str, Any]:
    """Return what CreateTable is told about a table."""
    shape = declared(table)
    keys = [*shape.keys, *(key for each in shape.indexes.values() for key in each.keys)]
    indexes = [
        {
            "IndexName": index.name,
            "KeySchema": _schema(index.partition, index.sort),
            "Projection": _told_projection(index),
        }
        for index in table.indexes
    ]
    return {
        "TableName": name,
        "BillingMode": shape.billing,
        "KeySchema": _schema(table.partition, table.sort),
        "AttributeDefinitions": [
            {"AttributeName": attribute, "AttributeType": kind}
            for attribute, kind in dict(keys).items()
        ],
    } | ({"GlobalSecondaryIndexes": indexes} if indexes else {})


def _schema(partition: str, sort: str) -> list[dict[str, str]]:
    return [
        {"AttributeName": partition, "KeyType": "HASH"},
        {"AttributeName": sort, "KeyType": "RANGE"},
    ]


def _told_projection(index: Index) -> dict[str, Any]:
    if index.include is None:
        return {"ProjectionType": "ALL"}
    return {"ProjectionType": "INCLUDE", "NonKeyAttributes": list(index.include)}


async def _until_active(
    client: Client, table: Table, name: str, sleep: Callable[[float], Awaitable[None]]
) -> None:
    for _ in range(MAX_LOOKS):
        if (await _look(client, table, name)).status == "ACTIVE":
            return
        await sleep(LOOK_INTERVAL)
    raise TransientFault(f"table {name} is still being made", "look again in a few minutes")


async def _set_ttl(client: Client, table: Table, name: str) -> None:
    if table.ttl is None:
        return
    specification = {"Enabled": True, "AttributeName": table.ttl}
    with translated(name):
        await client.update_time_to_live(TableName=name, TimeToLiveSpecification=specification)


async def _look(client: Client, table: Table, name: str) -> Found:
    with translated(name):
        try:
            told = (await client.describe_table(TableName=name))["Table"]
        except ClientError as error:
            if code_of(error) == _NO_TABLE:
                return Found(table, name, "MISSING")
            raise
        ttl = (await client.describe_time_to_live(TableName=name))["TimeToLiveDescription"]
    return Found(
        table,
        name,
        status=told["TableStatus"],
        shape=_shape(told, ttl),
        item_count=told.get("ItemCount", 0),
        size_bytes=told.get("TableSizeBytes", 0),
    )


def _shape(told: dict[str, Any], ttl: dict[str, Any]) -> Shape:
    kinds = {each["AttributeName"]: each["AttributeType"] for each in told["AttributeDefinitions"]}
    enabled = ttl.get("TimeToLiveStatus") in {"ENABLED", "ENABLING"}
    indexes = [*told.get("GlobalSecondaryIndexes", []), *told.get("LocalSecondaryIndexes", [])]
    return Shape(
        keys=_keys(told, kinds),
        billing=told.get("BillingModeSummary", {}).get("BillingMode", "PROVISIONED"),
        ttl=ttl.get("AttributeName") if enabled else None,
        indexes={index["IndexName"]: _index_shape(index, kinds) for index in indexes},
    )


def _index_shape(told: dict[str, Any], kinds: dict[str, str]) -> IndexShape:
    projection = told["Projection"]
    names = projection.get("NonKeyAttributes", [])
    return IndexShape(_keys(told, kinds), _projection(projection["ProjectionType"], names))


def _keys(told: dict[str, Any], kinds: dict[str, str]) -> tuple[tuple[str, str], ...]:
    order = sorted(told["KeySchema"], key=lambda each: each["KeyType"])
    return tuple((each["AttributeName"], kinds.get(each["AttributeName"], "?")) for each in order)
