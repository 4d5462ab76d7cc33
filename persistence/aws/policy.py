"""What AWS has to allow: policies for exactly the tables, their indexes and the bucket of a stage.

Owns which action each call of the adapters needs; a test holds the calls against their sources.
Pure; loads no AWS library. Called by the command line, through the composition root.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from enum import Enum
from typing import Any

from persistence.dynamodb.names import TableNames
from persistence.tables import ALL

ANY = "*"
VERSION = "2012-10-17"
"""Of the policy language; there is no newer one."""

ITEM_READS = {
    "batch_get_item": ("BatchGetItem",),
    "describe_table": ("DescribeTable",),
    "describe_time_to_live": ("DescribeTimeToLive",),
    "get_item": ("GetItem",),
    "query": ("Query",),
    "scan": ("Scan",),
}
ITEM_WRITES = {
    "batch_write_item": ("BatchWriteItem",),
    "delete_item": ("DeleteItem",),
    "put_item": ("PutItem",),
    "transact_write_items": ("ConditionCheckItem", "DeleteItem", "PutItem", "UpdateItem"),
    "update_item": ("UpdateItem",),
}
INDEX_READS = {"query": ("Query",)}
TABLE_LOOKS = {name: ITEM_READS[name] for name in ("describe_table", "describe_time_to_live")}
TABLE_MAKING = {
    "create_table": ("CreateTable",),
    "update_table": ("UpdateTable",),
    "update_time_to_live": ("UpdateTimeToLive",),
}
OBJECT_READS = {"get_object": ("GetObject",), "head_object": ("GetObject",)}
OBJECT_WRITES = {"delete_object": ("DeleteObject",), "put_object": ("PutObject",)}
BUCKET_READS = {"list_objects_v2": ("ListBucket",)}
"""Without it S3 answers 403, not 404, for what is not there."""

Calls = Mapping[str, tuple[str, ...]]
"""Actions by the name of the client's method."""


class Purpose(Enum):
    """Who is allowed what."""

    SERVE = "serve"
    """A server, and every command that writes."""
    READ = "read"
    """Exports, backups and checks."""
    CREATE = "create"
    """Making the tables; nothing that is in them."""


@dataclass(frozen=True, slots=True)
class Place:
    """Where the resources are; `*` for any."""

    region: str
    account: str

    @property
    def partition(self) -> str:
        """Return the part of AWS that the region is in."""
        apart = {"cn-": "aws-cn", "us-gov-": "aws-us-gov"}
        return next((name for start, name in apart.items() if self.region.startswith(start)), "aws")


def policy(names: TableNames, bucket: str, place: Place, purpose: Purpose) -> dict[str, Any]:
    """Return the policy, to be written as JSON."""
    if purpose is Purpose.CREATE:
        statements = _creating(names, place)
    else:
        statements = _using(names, bucket, place, writes=purpose is Purpose.SERVE)
    return {"Version": VERSION, "Statement": list(statements)}


def _creating(names: TableNames, place: Place) -> Iterator[dict[str, Any]]:
    yield _statement("Tables", "dynamodb", {**TABLE_LOOKS, **TABLE_MAKING}, _tables(names, place))


def _using(
    names: TableNames, bucket: str, place: Place, *, writes: bool
) -> Iterator[dict[str, Any]]:
    items = {**ITEM_READS, **(ITEM_WRITES if writes else {})}
    objects = {**OBJECT_READS, **(OBJECT_WRITES if writes else {})}
    # The name of a bucket is like no other's in all accounts and regions.
    arn = f"arn:{place.partition}:s3:::{bucket}"
    yield _statement("Items", "dynamodb", items, _tables(names, place))
    yield _statement("Indexes", "dynamodb", INDEX_READS, _indexes(names, place))
    yield _statement("Objects", "s3", objects, [f"{arn}/*"])
    yield _statement("Bucket", "s3", BUCKET_READS, [arn])


def _statement(name: str, service: str, calls: Calls, resources: list[str]) -> dict[str, Any]:
    actions = {f"{service}:{action}" for needed in calls.values() for action in needed}
    return {
        "Sid": f"Tesserae{name}",
        "Effect": "Allow",
        "Action": sorted(actions),
        "Resource": resources,
    }


def _tables(names: TableNames, place: Place) -> list[str]:
    start = f"arn:{place.partition}:dynamodb:{place.region}:{place.account}:table"
    return [f"{start}/{names.of(table)}" for table in ALL]


def _indexes(names: TableNames, place: Place) -> list[str]:
    return [
        f"{arn}/index/{index.name}"
        for table, arn in zip(ALL, _tables(names, place), strict=True)
        for index in table.indexes
    ]
