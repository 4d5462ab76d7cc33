"""The printed policies allow every call that the adapters make, and no other."""

import ast
import json

import pytest
from botocore import xform_name
from botocore.session import get_session

from persistence.aws.policy import (
    BUCKET_READS,
    ITEM_READS,
    ITEM_WRITES,
    OBJECT_READS,
    OBJECT_WRITES,
    TABLE_MAKING,
    Place,
    Purpose,
    policy,
)
from persistence.dynamodb.names import TableNames
from tests.support.source import product_sources

HERE = Place("eu-central-1", "123456789012")
ADAPTERS = ("persistence/aws/", "persistence/dynamodb/", "persistence/s3/")
MAX_MANAGED_CHARS = 6144
"""Of a managed policy, white space not counted."""


def methods(service: str) -> set[str]:
    """What a client of the library can be asked."""
    model = get_session().get_service_model(service)
    return {xform_name(name) for name in model.operation_names}


def called(service: str) -> set[str]:
    """Names of the library's methods that the adapters speak of."""
    spoken = {
        node.attr
        for source in product_sources()
        if source.path.startswith(ADAPTERS)
        for node in ast.walk(source.tree)
        if isinstance(node, ast.Attribute)
    }
    return spoken & methods(service)


def statements(purpose: Purpose) -> dict[str, dict[str, list[str]]]:
    made = policy(TableNames("tesserae", "prod"), "pixels", HERE, purpose)
    assert made["Version"] == "2012-10-17"
    assert len(json.dumps(made, separators=(",", ":"))) < MAX_MANAGED_CHARS
    return {each["Sid"].removeprefix("Tesserae"): each for each in made["Statement"]}


def test_every_call_on_dynamodb_is_in_a_policy() -> None:
    assert {*ITEM_READS, *ITEM_WRITES, *TABLE_MAKING} == called("dynamodb")


def test_every_call_on_s3_is_in_a_policy() -> None:
    assert {*OBJECT_READS, *OBJECT_WRITES, *BUCKET_READS} == called("s3")


def test_actions_are_named_like_the_calls_they_allow() -> None:
    """Two calls have no action of their own."""
    known = {**ITEM_READS, **ITEM_WRITES, **TABLE_MAKING, **OBJECT_READS, **OBJECT_WRITES}
    others = {name for name, (first, *_) in known.items() if xform_name(first) != name}
    assert others == {"transact_write_items", "head_object"}


def test_a_server_may_use_its_tables_indexes_and_bucket_alone() -> None:
    found = statements(Purpose.SERVE)
    assert found.keys() == {"Items", "Indexes", "Objects", "Bucket"}
    start = "arn:aws:dynamodb:eu-central-1:123456789012:table/tesserae-prod"
    assert set(found["Items"]["Resource"]) == {
        start,
        *(f"{start}-{name}" for name in ("config", "bans", "milestones", "history")),
    }
    assert set(found["Indexes"]["Resource"]) == {
        f"{start}-milestones/index/TriggerAtIndex",
        f"{start}-history/index/XOriginalIndex",
        f"{start}-history/index/UserIndex",
    }
    assert found["Indexes"]["Action"] == ["dynamodb:Query"]
    assert found["Objects"]["Resource"] == ["arn:aws:s3:::pixels/*"]
    assert found["Objects"]["Action"] == ["s3:DeleteObject", "s3:GetObject", "s3:PutObject"]
    assert found["Bucket"]["Resource"] == ["arn:aws:s3:::pixels"]
    assert "dynamodb:PutItem" in found["Items"]["Action"]
    assert "dynamodb:CreateTable" not in found["Items"]["Action"]


def test_whoever_reads_may_change_nothing() -> None:
    words = ("Get", "Query", "Scan", "Describe", "List", "BatchGet")
    actions = [action for each in statements(Purpose.READ).values() for action in each["Action"]]
    assert [a for a in actions if not a.partition(":")[2].startswith(words)] == []


def test_whoever_makes_the_tables_sees_nothing_in_them() -> None:
    (only,) = statements(Purpose.CREATE).values()
    assert only["Action"] == [
        "dynamodb:CreateTable",
        "dynamodb:DescribeTable",
        "dynamodb:DescribeTimeToLive",
        "dynamodb:UpdateTable",
        "dynamodb:UpdateTimeToLive",
    ]


@pytest.mark.parametrize(
    ("region", "partition"),
    [("*", "aws"), ("eu-west-1", "aws"), ("cn-north-1", "aws-cn"), ("us-gov-west-1", "aws-us-gov")],
)
def test_each_part_of_aws_has_its_own_names(region: str, partition: str) -> None:
    assert Place(region, "*").partition == partition
