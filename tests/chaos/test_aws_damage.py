"""Items that cannot be, on AWS: a refusal that names the remedy and writes nothing, or a fallback.

The same as in a data directory (test_damage.py), by way of the tables and the bucket themselves.
"""

import re
import signal
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import pytest

from persistence.aws.clients import Client, Clients, open_clients
from persistence.tables import ALL, CONFIG, HISTORY, MAIN
from server.game.history import sort_key
from tests.support.aws import AwsStage
from tests.support.foreign import dialled
from tests.support.processes import ServerProcess
from tests.support.runs import Lives

pytestmark = pytest.mark.chaos

STORE_EXIT = 3
REMEDY = "backup|start the version|tesserae store check|empty"
PLACED = 12
SNAPSHOT = "canvas/canvas.bin"
FLAGS = ("--size", "20x10", "--cooldown-ms", "0")
Row = dict[str, Any]
"""As DynamoDB writes it."""


class Played:
    """A stage that somebody played on, and its services."""

    def __init__(self, stage: AwsStage, clients: Clients, crc32: int) -> None:
        self.stage = stage
        self.dynamodb: Client = clients.dynamodb
        self._clients = clients
        self.crc32 = crc32

    async def rows(self, table: Any) -> list[Row]:
        name = self.stage.names.of(table)
        found: list[Row] = (await self.dynamodb.scan(TableName=name, ConsistentRead=True))["Items"]
        return sorted(found, key=lambda row: str(row[table.sort]))

    async def put(self, table: Any, row: Row) -> None:
        await self.dynamodb.put_item(TableName=self.stage.names.of(table), Item=row)

    async def s3(self, call: str, **arguments: Any) -> Any:
        """Ask S3 about the stage's bucket, where its client lives."""
        asked = getattr(self._clients.bulk_s3, call)(Bucket=self.stage.bucket, **arguments)
        return await self._clients.bulk.run(asked)

    async def body(self, key: str) -> tuple[bytes, dict[str, str]]:
        """Return an object's bytes and metadata."""
        stored = await self.s3("get_object", Key=key)
        return await self._clients.bulk.run(stored["Body"].read()), stored["Metadata"]

    async def contents(self) -> list[Any]:
        """All that is stored but the lease, which a start has to take before it reads."""
        tables = [row for table in ALL for row in await self.rows(table)]
        listed = (await self.s3("list_objects_v2")).get("Contents", [])
        blobs = [(each["Key"], each["ETag"]) for each in listed]
        return [row for row in tables if row.get("pk") != {"S": "LEASE"}] + blobs


async def played(stage: AwsStage, clients: Clients) -> Played:
    """Two lives: a snapshot, and pixels after it."""
    async with stage.writing() as store:
        lives = Lives(store)
        run = await lives.start()
        for seq in range(PLACED):
            if seq == PLACED // 2:
                await run.snapshot()
            await run.place(seq, 1, seq)
        await run.die()
        return Played(stage, clients, run.game.replica.crc32())


# --- damages -------------------------------------------------------------------------------------


async def last_row(played: Played, **changed: Any) -> None:
    """Change a row, or take attributes of it away (None)."""
    row = {**(await played.rows(HISTORY))[-1], **changed}
    await played.put(HISTORY, {name: value for name, value in row.items() if value is not None})


async def of_a_newer_version(played: Played) -> None:
    row = (await played.rows(HISTORY))[-1]
    at_ms = int(row["SK"]["S"].split("#")[1])
    key = sort_key(at_ms, PLACED + 1, 1)
    event = {"seq": {"N": str(PLACED + 1)}, "fence": {"N": "1"}, "kind": {"S": "hologram"}}
    await played.put(HISTORY, {"PK": row["PK"], "SK": {"S": key}, **event})


async def config(played: Played, **changed: Any) -> None:
    (item,) = await played.rows(CONFIG)
    item |= changed
    await played.put(CONFIG, {name: value for name, value in item.items() if value is not None})


async def lease(played: Played) -> None:
    row = {"pk": {"S": "LEASE"}, "sk": {"S": "place#main"}, "owner": {"N": "7"}}
    await played.put(MAIN, row)


async def lost_end(played: Played) -> None:
    """Lose what a snapshot and the config vouch for, and the snapshot."""
    name = played.stage.names.of(HISTORY)
    for row in (await played.rows(HISTORY))[2:]:
        key = {"PK": row["PK"], "SK": row["SK"]}
        await played.dynamodb.delete_item(TableName=name, Key=key)
    for blob in [SNAPSHOT, *[blob for blob, _ in await archives(played)]]:
        await played.s3("delete_object", Key=blob)


async def archives(played: Played) -> list[tuple[str, str]]:
    listed = await played.s3("list_objects_v2", Prefix="canvas/archive/")
    return [(each["Key"], each["ETag"]) for each in listed.get("Contents", [])]


Damage = Callable[[Played], Awaitable[None]]
REFUSED: dict[str, tuple[Damage, str]] = {
    "a color of another type": (
        lambda played: last_row(played, colorIndex={"S": "red"}),
        "cannot be read",
    ),
    "an item without a color": (lambda played: last_row(played, colorIndex=None), "cannot be read"),
    "an attribute of another kind": (
        lambda played: last_row(played, addressKey={"B": b"\0"}),
        "type B",
    ),
    "an event of a newer version": (of_a_newer_version, "hologram"),
    "a config without a width": (lambda played: config(played, width=None), "config item"),
    "a width of another type": (lambda played: config(played, width={"S": "9"}), "config item"),
    "a lease of another type": (lease, "LEASE / place#main"),
    "a lost end": (lost_end, f"ends at seq 2; {PLACED // 2} was published"),
}


@pytest.mark.parametrize("name", REFUSED)
async def test_what_cannot_be_is_refused_with_a_remedy_and_left_as_it_is(
    name: str, aws_stage: AwsStage, tmp_path: Path
) -> None:
    damage, message = REFUSED[name]
    async with open_clients(aws_stage.settings) as clients:
        there = await played(aws_stage, clients)
        await damage(there)
        before = await there.contents()
        server = ServerProcess(tmp_path, *FLAGS, *aws_stage.flags())
        await server.launch()
        code, said = await server.ended()
        assert code == STORE_EXIT, said
        assert "Traceback" not in said
        assert said.count("Error: ") == 1, said
        assert re.search(message, said), said
        assert re.search(REMEDY, said), said
        assert await there.contents() == before


@pytest.mark.parametrize("alike", [True, False], ids=["wrong crc", "no snapshot"])
async def test_a_snapshot_that_cannot_be_is_told_and_something_older_stands_in(
    aws_stage: AwsStage, tmp_path: Path, *, alike: bool
) -> None:
    async with open_clients(aws_stage.settings) as clients:
        there = await played(aws_stage, clients)
        for key in [SNAPSHOT, *[key for key, _ in await archives(there)]]:
            body, metadata = await there.body(key)
            spoilt = bytes([body[0] ^ 1]) + body[1:]
            await there.s3("put_object", Key=key, Body=spoilt, Metadata=metadata if alike else {})
        server = ServerProcess(tmp_path, *FLAGS, *aws_stage.flags())
        await server.start()
        async with dialled(server.url) as client:
            await client.play()
            assert client.follower.board is not None
            assert client.follower.board.crc32() == there.crc32
            assert client.follower.seq == PLACED
        server.tell(signal.SIGTERM)
        code, said = await server.ended()
        assert code == 0
        assert "passed over" in said
