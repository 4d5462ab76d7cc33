"""The lease's item is taken away between two servers: nothing that is placed then is lost."""

from pathlib import Path

import pytest

from persistence.ports import Delete, Key
from persistence.tables import MAIN
from server.game.names import DEFAULT_GAME
from tests.support.aws import AwsStage
from tests.support.foreign import dialled
from tests.support.processes import ServerProcess

pytestmark = pytest.mark.integration

FLAGS = ("--size", "40x30", "--cooldown-ms", "0")


async def test_what_is_placed_after_the_lease_was_taken_away_stays(
    tmp_path: Path, aws_stage: AwsStage
) -> None:
    server = ServerProcess(tmp_path, *FLAGS, *aws_stage.flags())
    for _ in range(2):
        await server.start()
        async with dialled(server.url) as player:
            await player.play()
            await player.put((1, 1, 1))
        assert await server.stop() == 0
    async with aws_stage.writing() as store:
        await store.tables.write(Delete(MAIN, Key("LEASE", DEFAULT_GAME)))
    await server.start()
    async with dialled(server.url) as player:
        await player.play()
        await player.put((2, 2, 2))
    await server.kill()
    await server.start()
    async with dialled(server.url) as player:
        await player.play()
        assert player.follower.board is not None
        assert (player.follower.seq, player.follower.board.get(2, 2)) == (3, 2)
    assert await server.stop() == 0
