"""The tables are made to the letter of their declaration, and every difference is named."""

from dataclasses import replace

import pytest

from persistence.aws.clients import Clients
from persistence.dynamodb.admin import create, definition, describe
from persistence.dynamodb.names import TableNames
from persistence.errors import PermanentFault
from persistence.shapes import differences
from persistence.tables import ALL, HISTORY, MAIN, MILESTONES


async def told(clients: Clients, names: TableNames) -> list[str]:
    """Every difference of a stage."""
    return [
        each for found in await describe(clients.dynamodb, names) for each in differences(found)
    ]


async def test_what_was_made_differs_in_nothing(clients: Clients, names: TableNames) -> None:
    assert await told(clients, names) == []
    assert await create(clients.dynamodb, names) == []
    found = await describe(clients.dynamodb, names)
    assert [each.name.removeprefix(f"contract-{names.stage}") for each in found] == [
        "-config",
        "-bans",
        "-milestones",
        "-history",
        "",
    ]
    assert {each.status for each in found} == {"ACTIVE"}


async def test_what_is_missing_is_named_then_made(clients: Clients, names: TableNames) -> None:
    await clients.dynamodb.delete_table(TableName=names.of(HISTORY))
    assert await told(clients, names) == [f"{names.of(HISTORY)}: there is no such table"]
    steps: list[tuple[str, int, int]] = []
    made = await create(clients.dynamodb, names, progress=lambda *now: steps.append(now))
    assert made == [names.of(HISTORY)]
    assert steps == [(names.of(HISTORY), 0, 1), (names.of(HISTORY), 1, 1)]
    assert await told(clients, names) == []


async def test_what_a_table_lacks_is_added(clients: Clients) -> None:
    names = TableNames("contract", "lacking")
    for table in ALL:
        bare = definition(replace(table, indexes=()), names.of(table))
        await clients.dynamodb.create_table(**bare)
    assert set(await told(clients, names)) == {
        f"{names.of(MILESTONES)}: there is no index TriggerAtIndex",
        f"{names.of(HISTORY)}: there is no index XOriginalIndex",
        f"{names.of(HISTORY)}: there is no index UserIndex",
        f"{names.of(MAIN)}: TTL attribute none, not expiresAt",
    }
    completed = await create(clients.dynamodb, names)
    assert completed == [names.of(table) for table in (MILESTONES, HISTORY, MAIN)]
    assert await told(clients, names) == []


async def test_a_table_of_somebody_else_is_left_alone(clients: Clients) -> None:
    names = TableNames("contract", "foreign")
    theirs = definition(replace(HISTORY, partition="id", indexes=()), names.of(HISTORY))
    await clients.dynamodb.create_table(**theirs)
    assert names.of(HISTORY) not in await create(clients.dynamodb, names)
    assert f"{names.of(HISTORY)}: keys id (S) + SK (S), not PK (S) + SK (S)" in await told(
        clients, names
    )


async def test_every_difference_is_named(clients: Clients) -> None:
    names = TableNames("contract", "wrong")
    for table in ALL:
        wrong = definition(table, names.of(table))
        if table is MAIN:
            wrong["KeySchema"][1]["AttributeName"] = "order"
            wrong["AttributeDefinitions"][1]["AttributeName"] = "order"
            wrong["AttributeDefinitions"][1]["AttributeType"] = "N"
            wrong["BillingMode"] = "PROVISIONED"
            wrong["ProvisionedThroughput"] = {"ReadCapacityUnits": 1, "WriteCapacityUnits": 1}
        if table is MILESTONES:
            wrong["GlobalSecondaryIndexes"][0]["IndexName"] = "Other"
        if table is HISTORY:
            by_x, by_user = wrong["GlobalSecondaryIndexes"]
            by_x["Projection"] = {"ProjectionType": "ALL"}
            by_user["KeySchema"].pop()
        await clients.dynamodb.create_table(**wrong)
    main, history, milestones = (names.of(table) for table in (MAIN, HISTORY, MILESTONES))
    included = "colorIndex, offset_x, offset_y, y_original"
    assert set(await told(clients, names)) == {
        f"{milestones}: there is no index TriggerAtIndex",
        f"{milestones}: index Other is not declared, and every write pays for it",
        f"{history}: index XOriginalIndex: projects ALL, not INCLUDE {included}",
        f"{history}: index UserIndex: keys userId (S), not userId (S) + SK (S)",
        f"{main}: keys pk (S) + order (N), not pk (S) + sk (S)",
        f"{main}: billing PROVISIONED, not PAY_PER_REQUEST",
        f"{main}: TTL attribute none, not expiresAt",
    }


@pytest.mark.parametrize(
    ("prefix", "stage"), [("", "dev"), ("a", ""), ("ä", "b"), ("a" * 250, "b")]
)
def test_names_that_no_table_can_have_are_refused(prefix: str, stage: str) -> None:
    with pytest.raises(PermanentFault):
        TableNames(prefix, stage)
