"""The tables are made to the letter of their declaration, and every difference is named."""

import pytest

from persistence.aws.clients import Clients
from persistence.dynamodb.admin import check, create, definition, describe
from persistence.dynamodb.names import TableNames
from persistence.errors import PermanentFault
from persistence.tables import ALL, HISTORY, MAIN, MILESTONES


async def test_what_was_made_differs_in_nothing(clients: Clients, names: TableNames) -> None:
    assert await check(clients.dynamodb, names) == []
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
    assert await check(clients.dynamodb, names) == [f"{names.of(HISTORY)}: there is no such table"]
    told: list[str] = []
    assert await create(clients.dynamodb, names, progress=told.append) == told
    assert told == [names.of(HISTORY)]


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
    assert set(await check(clients.dynamodb, names)) == {
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
