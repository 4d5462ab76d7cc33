"""The tables of one stage in DynamoDB: made, described and compared with their declaration.

Makes what is missing (tables, indexes, the TTL setting) and never changes or removes what is there.
Called by the command line through aws/keeper.py and by tests; a server only describes.
"""

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any

from botocore.exceptions import ClientError

from persistence.aws.clients import Client
from persistence.aws.faults import code_of, foreign
from persistence.dynamodb.faults import translated
from persistence.dynamodb.names import TableNames
from persistence.errors import TransientFault
from persistence.ports import Index, Table
from persistence.shapes import (
    ACTIVE,
    MISSING,
    Found,
    IndexShape,
    Keys,
    Progress,
    Shape,
    declared,
    lacks,
    projection_of,
)
from persistence.tables import ALL

MAX_LOOKS = 150
LOOK_INTERVAL = 2.0
"""Seconds between looks at a table that is being made: five minutes in all."""
_NO_TABLE = "ResourceNotFoundException"
_LOOK_AGAIN = "run `tesserae tables create` again in a few minutes: it goes on from there"

Sleep = Callable[[float], Awaitable[None]]


async def create(
    client: Client,
    names: TableNames,
    *,
    progress: Progress = lambda _name, _done, _total: None,
    sleep: Sleep = asyncio.sleep,
) -> list[str]:
    """Make what is missing and return the names of the tables that were made or completed.

    All tables are begun before the first is waited for. Raises TransientFault when one takes longer
    than five minutes, as an index over much history does; a second call goes on.
    """
    lacking = [found for found in await describe(client, names) if any(lacks(found))]
    for found in lacking:
        if found.shape is None:
            with translated(found.name):
                await client.create_table(**definition(found.table, found.name))
    for done, found in enumerate(lacking):
        progress(found.name, done, len(lacking))
        await _complete(client, found, sleep)
        progress(found.name, done + 1, len(lacking))
    return [found.name for found in lacking]


async def describe(client: Client, names: TableNames) -> list[Found]:
    """Look at every table of the stage."""
    return [await _look(client, table, names.of(table)) for table in ALL]


def definition(table: Table, name: str) -> dict[str, Any]:
    """Return what CreateTable is told about a table."""
    indexes = [_index_definition(index) for index in table.indexes]
    return {
        "TableName": name,
        "BillingMode": declared(table).billing,
        "KeySchema": _schema(table.partition, table.sort),
        "AttributeDefinitions": _attributes(table),
    } | ({"GlobalSecondaryIndexes": indexes} if indexes else {})


def _attributes(table: Table) -> list[dict[str, str]]:
    shape = declared(table)
    keys = [*shape.keys, *(key for each in shape.indexes.values() for key in each.keys)]
    return [
        {"AttributeName": attribute, "AttributeType": kind}
        for attribute, kind in dict(keys).items()
    ]


def _index_definition(index: Index) -> dict[str, Any]:
    return {
        "IndexName": index.name,
        "KeySchema": _schema(index.partition, index.sort),
        "Projection": _told_projection(index),
    }


def _schema(partition: str, sort: str) -> list[dict[str, str]]:
    return [
        {"AttributeName": partition, "KeyType": "HASH"},
        {"AttributeName": sort, "KeyType": "RANGE"},
    ]


def _told_projection(index: Index) -> dict[str, Any]:
    if index.include is None:
        return {"ProjectionType": "ALL"}
    return {"ProjectionType": "INCLUDE", "NonKeyAttributes": list(index.include)}


async def _complete(client: Client, found: Found, sleep: Sleep) -> None:
    """Wait for a table that is being made, and add what it lacks, one index after the other."""
    table, name = found.table, found.name
    present = await _settled(client, table, name, sleep)
    shape = present.shape
    missing = [index for index in table.indexes if shape and index.name not in shape.indexes]
    for index in missing:
        with translated(name):
            await client.update_table(
                TableName=name,
                AttributeDefinitions=_attributes(table),
                GlobalSecondaryIndexUpdates=[{"Create": _index_definition(index)}],
            )
        await _settled(client, table, name, sleep)
    if table.ttl is not None and shape is not None and shape.ttl is None:
        specification = {"Enabled": True, "AttributeName": table.ttl}
        with translated(name):
            await client.update_time_to_live(TableName=name, TimeToLiveSpecification=specification)


async def _settled(client: Client, table: Table, name: str, sleep: Sleep) -> Found:
    """Return the table once it is active with all the indexes that it has."""
    for _ in range(MAX_LOOKS):
        found = await _look(client, table, name)
        indexes = found.shape.indexes.values() if found.shape else ()
        if found.status == ACTIVE and all(index.status == ACTIVE for index in indexes):
            return found
        await sleep(LOOK_INTERVAL)
    raise TransientFault(f"table {name} is still being made", _LOOK_AGAIN)


async def _look(client: Client, table: Table, name: str) -> Found:
    with translated(name):
        try:
            told = (await client.describe_table(TableName=name)).get("Table")
        except ClientError as error:
            if code_of(error) == _NO_TABLE:
                return Found(table, name, MISSING)
            raise
        if told is None:
            raise foreign(f"table {name}")
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
    return IndexShape(
        _keys(told, kinds),
        projection_of(projection["ProjectionType"], names),
        told.get("IndexStatus", ACTIVE),
    )


def _keys(told: dict[str, Any], kinds: dict[str, str]) -> Keys:
    order = sorted(told["KeySchema"], key=lambda each: each["KeyType"])
    return tuple((each["AttributeName"], kinds.get(each["AttributeName"], "?")) for each in order)
