"""Checks and backups on both stores, beside a server that is painted on all the while."""

import asyncio
from pathlib import Path
from typing import Any

import orjson
import pytest
from tesserae_client import Client

from tests.support.foreign import dialled
from tests.support.processes import ServerProcess, process, tesserae

pytestmark = pytest.mark.integration

FREE = ("--size", "40x30", "--cooldown-ms", "0", "--snapshot-pixels", "200")
FRAME = 64
ROUNDS = 30


@pytest.fixture(params=["embedded", "aws"])
def place(request: pytest.FixtureRequest, tmp_path: Path) -> tuple[str, ...]:
    """The flags of a store."""
    if request.param == "embedded":
        return ("--data", str(tmp_path / "data"))
    stage = request.getfixturevalue("aws_stage")
    return ("--data", str(tmp_path / "data"), *stage.place())


async def paint(client: Client, rounds: int = ROUNDS) -> None:
    for round_ in range(rounds):
        places = [
            client.place((round_ * 7 + n) % 40, n % 30, (round_ + n) % 16) for n in range(FRAME)
        ]
        await asyncio.gather(*places)


async def report(*words: str) -> dict[str, Any]:
    code, said = await tesserae("store", "check", *words, "--json")
    assert said.startswith("{"), said
    found: dict[str, Any] = orjson.loads(said)
    assert code == (0 if found["sound"] else 1)
    return found


async def test_nothing_is_found_where_nothing_is_wrong(
    tmp_path: Path, place: tuple[str, ...]
) -> None:
    async with process(tmp_path / "data", *FREE, *place) as server, Client(server.url) as client:
        await client.ready()
        painting = asyncio.create_task(paint(client))
        for _ in range(3):
            found = await report(*place)
            assert [one for one in found["findings"] if one["severity"] == "damage"] == []
        await painting
        assert await server.stop() == 0
    found = await report(*place)
    assert found["findings"] == []
    assert found["games"][0]["seq"] == ROUNDS * FRAME


async def test_a_backup_holds_all_that_was_acknowledged_before_it(
    tmp_path: Path, place: tuple[str, ...]
) -> None:
    copy = tmp_path / "copy"
    async with process(tmp_path / "data", *FREE, *place) as server, Client(server.url) as client:
        await client.ready()
        await paint(client, 5)
        painting = asyncio.create_task(paint(client))
        code, said = await tesserae("backup", str(copy), *place)
        assert code == 0, said
        await painting
    found = await report("--data", str(copy))
    assert found["findings"] == []
    seq = found["games"][0]["seq"]
    assert 5 * FRAME <= seq <= (5 + ROUNDS) * FRAME
    code, said = await tesserae("epoch", "new", "--yes", "--data", str(copy))
    assert code == 0, said
    async with process(copy, *FREE) as server, dialled(server.url) as player:
        await player.play()
        assert player.follower.board is not None
        assert player.follower.seq == seq
        assert player.follower.board.crc32() == found["games"][0]["crc32"]


async def test_a_killed_server_leaves_nothing_that_is_damage(
    tmp_path: Path, place: tuple[str, ...]
) -> None:
    server = ServerProcess(tmp_path / "data", *FREE, *place)
    await server.start()
    async with dialled(server.url) as player:
        await player.play()
        await player.put(*[(x, 1, x % 15) for x in range(40)])
        await server.kill()
    assert (await report(*place))["damages"] == 0
    await server.start()
    assert await server.stop() == 0
    assert (await report(*place))["findings"] == []


async def test_an_epoch_makes_a_client_take_the_board_anew(
    tmp_path: Path, place: tuple[str, ...]
) -> None:
    server = ServerProcess(tmp_path / "data", *FREE, *place)
    await server.start()
    async with dialled(server.url) as player:
        await player.play()
        await player.put((1, 1, 1))
        epoch = player.follower.epoch
        code, said = await tesserae("epoch", "new", "--yes", *place)
        assert (code, "stop" in said) == (3, True), said
    assert await server.stop() == 0
    code, said = await tesserae("epoch", "new", "--yes", *place)
    assert code == 0, said
    await server.start()
    async with dialled(server.url) as player:
        await player.play()
        assert player.follower.epoch != epoch
        assert player.follower.board is not None
        assert (player.follower.seq, player.follower.board.get(1, 1)) == (1, 1)
    assert await server.stop() == 0
