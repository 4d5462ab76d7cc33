"""DynamoDB is away: what waits is kept, nothing is shown too early, watching goes on."""

import re
from contextlib import AbstractAsyncContextManager
from pathlib import Path

import pytest

from tests.support.aws import AwsStage
from tests.support.foreign import JSON, dialled, place_frame
from tests.support.ledger import ledger_of
from tests.support.microburst import REFUSED, Microburst
from tests.support.probe import ask, ask_until
from tests.support.processes import process
from tests.support.standstill import joining_goes_on, nothing_is_told

pytestmark = [pytest.mark.chaos, pytest.mark.xdist_group("weather")]

BACKLOG = 8
BUSY = 7
FLAGS = ("--size", "64x40", "--cooldown-ms", "0", "--max-backlog", str(BACKLOG))
BEFORE = [(x, 1, x) for x in range(5)]
WAITING = [(x, 2, x) for x in range(BACKLOG)]


def away(microburst: Microburst, how: str) -> AbstractAsyncContextManager[object]:
    return microburst.silent() if how == "silent" else microburst.raging(REFUSED)


@pytest.mark.parametrize("how", ["silent", "refusing"])
async def test_pending_stays_pending_until_dynamodb_is_back(
    how: str, aws_stage: AwsStage, microburst: Microburst, tmp_path: Path
) -> None:
    async with (
        process(
            tmp_path, *FLAGS, *aws_stage.through(dynamodb_url=microburst.url).flags()
        ) as server,
        dialled(server.url) as player,
        dialled(server.url, JSON) as watcher,
    ):
        await player.play()
        await watcher.play(guest=False)
        await player.put(*BEFORE)
        async with away(microburst, how):
            heard = len(player.heard)
            await player.socket.send(place_frame(*WAITING, request=1))
            # Longer than the lease lasts: it runs out, and nobody is there to take it.
            await server.says("the right to write was not renewed in time")
            not_ready = await ask_until(server.port, "readyz", 503)
            assert re.search("wait for the store|not renewed in time", not_ready.text)
            await nothing_is_told(player, heard, len(BEFORE))
            await joining_goes_on(server.url, len(BEFORE))
            (refused,) = await player.put((9, 9, 9))
            assert refused.status == BUSY
            assert (await ask(server.port, "healthz")).status == 200
            await watcher.ask("ping")
            assert watcher.follower.seq == len(BEFORE)
        acks = await player.acks(BACKLOG)
        first = len(BEFORE) + 1
        assert [(ack.status, ack.seq) for ack in acks] == [
            (0, first + index) for index in range(BACKLOG)
        ]
        await ask_until(server.port, "readyz", 200)
        assert (await player.put((9, 9, 9)))[0].status == 0
        await watcher.hear_until(lambda _: watcher.follower.seq == first + BACKLOG)
        assert await watcher.in_step_by_checksum()
    async with aws_stage.reading() as store:
        ledger = await ledger_of(store)
    stored = [(row["x_original"], row["y_original"], row["colorIndex"]) for row in ledger.rows]
    assert stored == [*BEFORE, *WAITING, (9, 9, 9)]
