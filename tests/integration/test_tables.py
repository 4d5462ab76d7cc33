"""`tesserae tables` and `lease show` on real peers: what is made, and who serves."""

from dataclasses import replace
from pathlib import Path

import orjson
import pytest

from persistence.aws.clients import open_clients
from persistence.dynamodb.names import TableNames
from persistence.tables import ALL, HISTORY
from tests.support.aws import AwsStage
from tests.support.exports import command
from tests.support.processes import process

pytestmark = pytest.mark.integration

Captured = pytest.CaptureFixture[str]


async def test_a_stage_is_checked_made_and_checked_again(
    aws_stage: AwsStage, capsys: Captured
) -> None:
    new = replace(aws_stage, names=TableNames(aws_stage.names.prefix, "fresh"))
    assert await command("tables", "check", *new.place()) == 1
    assert capsys.readouterr().out.count("there is no such table\n") == len(ALL)
    assert await command("tables", "create", *new.place(), "--dry-run") == 0
    assert await command("tables", "check", *new.place()) == 1
    assert await command("tables", "create", *new.place()) == 0
    capsys.readouterr()
    assert await command("tables", "check", *new.place()) == 0
    assert await command("tables", "describe", *new.place(), "--json") == 0
    told = orjson.loads(capsys.readouterr().out.partition("\n")[2])
    assert [each["name"] for each in told] == [new.names.of(table) for table in ALL]
    assert {each["status"] for each in told} == {"ACTIVE"}


async def test_a_missing_index_is_named_added_and_right(
    aws_stage: AwsStage, capsys: Captured
) -> None:
    name = aws_stage.names.of(HISTORY)
    async with open_clients(aws_stage.settings) as clients:
        await clients.dynamodb.update_table(
            TableName=name,
            GlobalSecondaryIndexUpdates=[{"Delete": {"IndexName": "UserIndex"}}],
        )
    assert await command("tables", "check", *aws_stage.place()) == 1
    assert f"{name}: there is no index UserIndex\n" in capsys.readouterr().out
    assert await command("tables", "create", *aws_stage.place()) == 0
    assert f"{name}: is made: index UserIndex\n" in capsys.readouterr().out
    assert await command("tables", "check", *aws_stage.place()) == 0


async def test_who_serves_is_shown_until_it_stops(
    aws_stage: AwsStage, tmp_path: Path, capsys: Captured
) -> None:
    show = ("lease", "show", *aws_stage.place(), "--json")
    async with process(tmp_path, "--size", "16x16", *aws_stage.flags()) as server:
        assert await command(*show) == 0
        held = orjson.loads(capsys.readouterr().out)
        assert held["owner"].startswith(f"process {server.pid} on ")
        assert held["url"] == f"http://127.0.0.1:{server.port}"
        assert (held["fence"], held["leaseMs"]) == (1, 2000)
        assert held["untilMs"] > held["sinceMs"]
        assert await server.stop() == 0
    assert await command(*show) == 0
    free = orjson.loads(capsys.readouterr().out)
    assert (free["owner"], free["url"], free["fence"]) == (None, None, 1)


async def test_without_credentials_the_remedy_is_told(
    aws_stage: AwsStage, capsys: Captured, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("AWS_SECRET_ACCESS_KEY")
    assert await command("tables", "check", *aws_stage.place()) == 1
    said = capsys.readouterr()
    assert said.err.count("Error: ") == 1
    assert "AWS_PROFILE" in said.err
    assert said.out == ""
