"""`tesserae restore` on both stores: looked at beside the server, restored where none runs."""

from pathlib import Path

import pytest
from PIL import Image

from tests.support.foreign import Foreign, dialled
from tests.support.processes import ServerProcess, tesserae

pytestmark = pytest.mark.integration

FREE = ("--size", "16x8", "--cooldown-ms", "0")


@pytest.fixture(params=["embedded", "aws"])
def place(request: pytest.FixtureRequest, tmp_path: Path) -> tuple[str, ...]:
    """The flags of a store."""
    if request.param == "embedded":
        return ("--data", str(tmp_path / "data"))
    stage = request.getfixturevalue("aws_stage")
    return tuple(stage.place())


async def row(player: Foreign) -> list[int]:
    assert player.follower.board is not None
    return [player.follower.board.get(x, 0) for x in range(6)]


async def test_a_board_is_what_it_was(tmp_path: Path, place: tuple[str, ...]) -> None:
    picture = tmp_path / "restored.png"
    server = ServerProcess(tmp_path / "data", *FREE, *place)
    await server.start()
    async with dialled(server.url) as player:
        await player.play()
        epoch = player.follower.epoch
        await player.put(*[(x, 0, x) for x in range(6)])
        await server.kill()
        await server.start()
    command = ("restore", *place, "--to", "3")
    code, said = await tesserae(*command, "--dry-run", "--preview", str(picture))
    assert code == 0, said
    assert "place#main, from seq 6 back to 3" in said
    assert "3 of 128 cells change" in said
    assert "undone: 3 pixels" in said
    assert "Nothing was changed" in said
    with Image.open(picture) as image:
        assert image.size == (16, 8)
        assert [image.getpixel((x, 0)) for x in range(4)] == [0, 1, 2, 15]
    code, said = await tesserae(*command, "--yes")
    assert (code, "stop" in said) == (3, True), said
    assert await server.stop() == 0
    code, said = await tesserae(*command)
    assert (code, "--yes" in said) == (1, True), said
    code, said = await tesserae(*command, "--yes")
    assert code == 0, said
    assert "is event 7 of a new epoch" in said
    await server.start()
    async with dialled(server.url) as player:
        await player.play()
        assert await row(player) == [0, 1, 2, 15, 15, 15]
        assert player.follower.epoch != epoch
        assert player.follower.seq == 7
        await player.put((5, 0, 9))
    assert await server.stop() == 0
    assert (await tesserae("restore", *place, "--to", "6", "--yes"))[0] == 0
    code, said = await tesserae("store", "check", *place)
    assert code == 0, said
    await server.start()
    async with dialled(server.url) as player:
        await player.play()
        assert await row(player) == [0, 1, 2, 3, 4, 5]
    assert await server.stop() == 0


NO_POINTS = {
    "0": "no seq 0",
    "4": "no seq 4: give one from 1 to 3",
    "2001-01-01": "before the history",
    "2286-01-01T00:00:00Z": "in the future",
    "yesterday": "is no time",
    "1,5": "is no time",
}


async def test_what_is_no_point_is_told(tmp_path: Path) -> None:
    server = ServerProcess(tmp_path / "data", *FREE)
    await server.start()
    async with dialled(server.url) as player:
        await player.play()
        await player.put((0, 0, 1), (1, 0, 2), (2, 0, 3))
    assert await server.stop() == 0
    for point, told in NO_POINTS.items():
        code, said = await tesserae(
            "restore", "--data", str(tmp_path / "data"), "--to", point, "--yes"
        )
        assert code != 0
        assert told in said
        assert "Traceback" not in said
