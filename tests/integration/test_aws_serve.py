"""`tesserae serve --store aws` against real peers: what it keeps, and what it says when it cannot.

Bad input ends with one message and its remedy, and nothing is written.
"""

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from persistence.aws.clients import open_clients
from persistence.dynamodb.names import TableNames
from persistence.tables import HISTORY, MAIN
from tests.support.aws import REGION, AwsStage
from tests.support.foreign import dialled
from tests.support.peers import free_ports
from tests.support.processes import ServerProcess, process, tesserae
from tests.support.seaweedfs import STRANGER

pytestmark = pytest.mark.integration

SIZE = ("--size", "16x16")


async def refused(data: Path, where: AwsStage, /, **other: Any) -> tuple[int, str]:
    """Start what cannot start: its exit code and what it said."""
    server = ServerProcess(data, *SIZE, *where.flags(**other))
    await server.launch()
    code, said = await server.ended()
    assert "Traceback" not in said
    assert said.count("Error: ") == 1
    return code, said


def names_in(directory: Path) -> list[str]:
    return [path.name for path in directory.iterdir()]


async def items_of(stage: AwsStage) -> int:
    """How many items are in the tables that a start writes to first."""
    async with open_clients(stage.settings) as clients:
        tables = [stage.names.of(MAIN), f"{stage.names.of(MAIN)}-config"]
        counts = [await clients.dynamodb.scan(TableName=name, Select="COUNT") for name in tables]
        return sum(answer["Count"] for answer in counts)


async def test_what_was_placed_is_there_after_a_stop_and_after_a_kill(
    aws_stage: AwsStage, tmp_path: Path
) -> None:
    flags = (*SIZE, "--cooldown-ms", "600000", "--history-shards", "2", *aws_stage.flags())
    async with process(tmp_path, *flags) as server:
        async with dialled(server.url) as player:
            await player.play()
            await player.put((3, 4, 5))
        assert await server.stop() == 0
        await server.start()
        async with dialled(server.url) as other:
            await other.play()
            assert other.follower.board is not None
            assert other.follower.board.get(3, 4) == 5
            await other.put((4, 4, 6))
        await server.kill()
        await server.start()
        async with dialled(server.url) as last:
            await last.play(token=player.token)
            assert last.follower.board is not None
            assert (last.follower.board.get(3, 4), last.follower.board.get(4, 4)) == (5, 6)
            assert (await last.place(0, 0, 1))["error"]["code"] == "cooldown"
    assert names_in(tmp_path) == [], "nothing of it is on this machine"


async def test_a_server_that_is_not_to_wait_names_the_holder(
    aws_stage: AwsStage, tmp_path: Path
) -> None:
    async with process(tmp_path, *SIZE, *aws_stage.flags()) as server:
        code, said = await refused(tmp_path, aws_stage, lease="fail")
        assert code == 3
        assert f"process {server.pid} on " in said
        assert f"http://127.0.0.1:{server.port}" in said


async def test_who_waits_serves_as_soon_as_the_holder_has_stopped(
    aws_stage: AwsStage, tmp_path: Path
) -> None:
    flags = (*SIZE, *aws_stage.flags(lease_time=60))
    first, second = ServerProcess(tmp_path, *flags), ServerProcess(tmp_path, *flags)
    await first.start()
    await second.launch()
    assert await first.stop() == 0
    await second.ready()  # long before a lease of a minute has run out
    assert await second.stop() == 0


WRONG = [
    ({"bucket": "nobodys-bucket"}, "nobodys-bucket", "--bucket"),
    ({"stage": "other"}, "proc-other-history: there is no such table", "tesserae tables create"),
    ({"region": "eu-nowhere-1"}, "there is no such table", "is the region right"),
]


@pytest.mark.parametrize(("flags", "told", "remedy"), WRONG)
async def test_what_is_not_there_is_named_with_the_remedy(
    flags: dict[str, str], told: str, remedy: str, aws_stage: AwsStage, tmp_path: Path
) -> None:
    code, said = await refused(tmp_path, aws_stage, **flags)
    assert code == 1
    assert told in said
    assert remedy in said
    assert await items_of(aws_stage) == 0


async def test_no_credentials_are_told_at_once(
    aws_stage: AwsStage, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("AWS_ACCESS_KEY_ID")
    monkeypatch.delenv("AWS_SECRET_ACCESS_KEY")
    code, said = await refused(tmp_path, aws_stage)
    assert code == 1
    assert "AWS_PROFILE" in said


async def test_somebody_elses_bucket_is_told(
    aws_stage: AwsStage, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name, value in STRANGER.items():
        monkeypatch.setenv(name, value)
    code, said = await refused(tmp_path, aws_stage)
    assert code == 1
    assert "s3:ListBucket" in said
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "wrong-secret-0123456789")
    code, said = await refused(tmp_path, aws_stage)
    assert code == 1
    assert "AWS_SECRET_ACCESS_KEY" in said
    assert "wrong-secret-0123456789" not in said
    assert await items_of(aws_stage) == 0


async def test_a_table_of_the_wrong_shape_is_refused(aws_stage: AwsStage, tmp_path: Path) -> None:
    name = aws_stage.names.of(HISTORY)
    async with open_clients(aws_stage.settings) as clients:
        await clients.dynamodb.delete_table(TableName=name)
        await clients.dynamodb.create_table(
            TableName=name,
            BillingMode="PAY_PER_REQUEST",
            KeySchema=[{"AttributeName": "PK", "KeyType": "HASH"}],
            AttributeDefinitions=[{"AttributeName": "PK", "AttributeType": "S"}],
        )
    code, said = await refused(tmp_path, aws_stage)
    assert code == 1
    assert f"{name}: keys PK (S), not PK (S) + SK (S)" in said
    assert f"{name}: there is no index XOriginalIndex" in said
    assert "tesserae tables check" in said


async def test_a_machine_that_would_make_its_own_secret_is_refused(
    aws_stage: AwsStage, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("TESSERAE_SECRET")
    code, said = await refused(tmp_path / "data", aws_stage)
    assert code == 2
    assert "TESSERAE_SECRET" in said
    assert not (tmp_path / "data").exists()


async def test_an_address_where_nobody_listens_is_told_while_it_is_tried(
    aws_stage: AwsStage, tmp_path: Path
) -> None:
    (port,) = free_ports(1)
    peers = replace(aws_stage.peers, dynamodb_url=f"http://127.0.0.1:{port}")
    lost = replace(aws_stage, peers=peers, names=TableNames("proc", "lost"))
    server = ServerProcess(tmp_path, *SIZE, *lost.flags())
    await server.launch()
    said = await server.says("the store does not answer; it is tried again")
    assert f"127.0.0.1:{port}" in said
    assert "gives_up_in_s" in said
    await server.kill()


async def test_commands_work_on_it_beside_a_server_and_alone(
    aws_stage: AwsStage, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("AWS_REGION", REGION)  # to these commands --region is a part of a board
    flags = aws_stage.flags(lease_time=None, region=None)
    picture = tmp_path / "board.png"
    async with process(tmp_path, *SIZE, *aws_stage.flags()) as server:
        async with dialled(server.url) as player:
            await player.play()
            await player.put((3, 4, 5))
        code, said = await tesserae("canvas", "export", *flags, "-o", str(picture))
        assert (code, "at seq 1" in said) == (0, True), said
        code, said = await tesserae("history", "export", *flags)
        assert code == 0
        assert said.count("\n") == 3, "a head, a row, and how many were written"
        code, said = await tesserae("canvas", "import", *flags, "--yes", str(picture))
        assert code == 3
        assert f"process {server.pid} on " in said
        assert "--url and --token-file" in said
    code, said = await tesserae("canvas", "import", *flags, "--yes", str(picture))
    assert (code, "The picture is in" in said) == (0, True), said
    elsewhere = aws_stage.flags(lease_time=None, region=None, stage="none")
    code, said = await tesserae("canvas", "export", *elsewhere, "-o", str(tmp_path / "none.png"))
    assert code == 1
    assert "tesserae tables create" in said
