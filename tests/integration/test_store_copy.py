"""`tesserae store copy` between a data directory and AWS, as people run it: there and back."""

import asyncio
import re
from pathlib import Path

import pytest

from persistence.aws.clients import open_clients
from persistence.tables import HISTORY
from tests.support.aws import AwsStage
from tests.support.foreign import dialled
from tests.support.processes import SCRIPT, ServerProcess, tesserae

pytestmark = pytest.mark.integration

FREE = ("--size", "40x30", "--cooldown-ms", "0")
PIXELS = 1200
AT_ONCE = 60
PATIENCE_S = 60


async def played(data: Path, *flags: str) -> int:
    """Play on a server and stop it; the checksum of the board."""
    server = ServerProcess(data, *FREE, *flags)
    await server.start()
    async with dialled(server.url) as player:
        await player.play()
        for first in range(0, PIXELS, AT_ONCE):
            numbers = range(first, first + AT_ONCE)
            await player.put(*[(n % 40, n // 40 % 30, n % 15) for n in numbers])
        assert player.follower.board is not None
        crc32 = player.follower.board.crc32()
    assert await server.stop() == 0
    return crc32


async def seen(data: Path, *flags: str) -> tuple[int, str]:
    """The checksum of a board and its epoch, as a server shows them."""
    server = ServerProcess(data, *FREE, *flags)
    await server.start()
    async with dialled(server.url) as player:
        await player.play()
        assert player.follower.board is not None
        found = player.follower.board.crc32(), player.follower.epoch
        await player.put((0, 0, 15))
    assert await server.stop() == 0
    return found


def copying(stage: AwsStage, source: str, target: str) -> tuple[str, ...]:
    words = stage.place()
    at = words.index("--store")
    return ("store", "copy", *words[:at], *words[at + 2 :], "--from", source, "--to", target)


async def test_there_and_back(tmp_path: Path, aws_stage: AwsStage) -> None:
    here, back = tmp_path / "here", tmp_path / "back"
    crc32 = await played(here)
    command = copying(aws_stage, f"embedded:{here}", "aws")
    code, said = await tesserae(*command, "--dry-run")
    assert code == 0, said
    assert f"{PIXELS:,} items of history" in said
    assert "place#main at seq 1,200" in said
    assert "costs about $0.00" in said
    code, said = await tesserae(*command)
    assert code == 0, said
    assert re.search(r"history HISTORY: 1,200, alike \([0-9a-f]{32}\)", said)
    code, said = await tesserae(*command)
    assert (code, "holds the blobs of a game" in said) == (1, True), said
    there, epoch = await seen(tmp_path / "none", *aws_stage.flags())
    assert there == crc32
    code, said = await tesserae(*copying(aws_stage, "aws", f"embedded:{back}"))
    assert code == 0, said
    again, newer = await seen(back)
    assert again != crc32, "what was placed on AWS came back, too"
    assert len({epoch, newer, (await seen(here))[1]}) == 3
    assert (await tesserae("store", "check", "--data", str(back)))[0] == 0


async def killed_at(stage: AwsStage, command: tuple[str, ...], items: int) -> None:
    """Run a copy and kill it once so many items of history have come."""
    process = await asyncio.create_subprocess_exec(
        str(SCRIPT), *command, stdout=asyncio.subprocess.DEVNULL, stderr=asyncio.subprocess.DEVNULL
    )
    async with open_clients(stage.settings) as clients, asyncio.timeout(PATIENCE_S):
        while True:
            name = stage.names.of(HISTORY)
            answer = await clients.dynamodb.scan(TableName=name, Select="COUNT")
            if answer["Count"] >= items:
                break
    assert process.returncode is None, "it was done before it could be killed"
    process.kill()
    await process.wait()


async def test_a_killed_copy_is_not_served_and_goes_on(
    tmp_path: Path, aws_stage: AwsStage, monkeypatch: pytest.MonkeyPatch
) -> None:
    data = tmp_path / "data"
    crc32 = await played(data)
    monkeypatch.setenv("TESSERAE_LEASE_TIME", "2")  # a killed holder is waited for as long
    command = copying(aws_stage, f"embedded:{data}", "aws")
    for items in (1, PIXELS // 2):
        await killed_at(aws_stage, command, items)
        server = ServerProcess(tmp_path / "none", *FREE, *aws_stage.flags())
        await server.launch()
        code, said = await server.ended()
        assert (code, f"unfinished copy of {data}" in said) == (3, True), said
    code, said = await tesserae(*command, "--dry-run")
    assert (code, "is begun; it would go on" in said) == (0, True), said
    code, said = await tesserae(*command)
    assert (code, "going on with a copy" in said) == (0, True), said
    there, _ = await seen(tmp_path / "none", *aws_stage.flags())
    assert there == crc32


async def test_a_store_that_is_served_is_not_copied(tmp_path: Path, aws_stage: AwsStage) -> None:
    data = tmp_path / "data"
    server = ServerProcess(data, *FREE)
    await server.start()
    code, said = await tesserae(*copying(aws_stage, f"embedded:{data}", "aws"))
    assert (code, "pid" in said or "process" in said) == (3, True), said
    assert await server.stop() == 0


@pytest.mark.parametrize(
    ("source", "target", "told"),
    [
        ("aws:", "embedded:x", "is no store; write embedded:DIR"),
        ("sqlite:x", "aws", "is no store"),
        ("aws:a/", "embedded:x", "is no store"),
        ("embedded:x", "embedded:./x", "name two stores"),
        ("embedded:nowhere", "embedded:y", "there is no store in nowhere"),
        ("embedded:x", "aws", "needs a bucket"),
        ("aws:a/bucket-one", "aws:b/bucket-one", "each needs one of its own"),
        ("aws:a/bucket-one", "aws:a/bucket-two", "name two"),
    ],
)
async def test_what_cannot_be_copied_is_told(
    source: str, target: str, told: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    code, said = await tesserae("store", "copy", "--from", source, "--to", target)
    assert code != 0
    assert told in said
    assert "Traceback" not in said
    assert await asyncio.to_thread(lambda: list(tmp_path.iterdir())) == []
