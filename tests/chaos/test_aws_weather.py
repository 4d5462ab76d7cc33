"""Bad days on AWS under load: calls fail, answers are lost, batches are left half done.

Placements go on meanwhile, nothing that anyone saw or was told is lost, and every board is equal
in the end.
"""

import os
from collections.abc import Awaitable, Callable
from pathlib import Path
from random import Random

import pytest

from tests.support.aws import AwsStage
from tests.support.aws_proxy import conflicts, failing, proxying, unprocessed
from tests.support.crowd import FLAGS, Account, Crowd, gathered
from tests.support.ledger import ledger_of
from tests.support.microburst import LOST, THROTTLED, Microburst, Rule
from tests.support.processes import ServerProcess

pytestmark = [pytest.mark.chaos, pytest.mark.xdist_group("weather")]

BOTS, SPECTATORS = 30, 6
PROGRESS = BOTS
"""Placements that are acknowledged while it lasts."""
MOST_TRIES = 20
OUTAGE_S = float(os.environ.get("CHAOS_OUTAGE_S", "2"))
"""How long it lasts after the lease has run out."""
Story = Callable[[Crowd, ServerProcess], Awaitable[None]]


async def told(stage: AwsStage, through: AwsStage, data: Path, story: Story) -> Account:
    """Let a crowd play while the story goes on, stop, and audit what is stored."""
    server = ServerProcess(data, *FLAGS, *through.flags())
    await server.start()
    try:
        async with gathered(server.url, BOTS, SPECTATORS) as crowd:
            await crowd.play_during(story(crowd, server))
            await crowd.converge(server.port)
    finally:
        code = await server.stop()
    assert code == 0
    async with stage.reading() as store:
        account = crowd.audit(await ledger_of(store))
    assert account.complaints == []
    assert account.agreeing == BOTS + SPECTATORS
    return account


@pytest.mark.parametrize("rule", [THROTTLED, LOST], ids=["throttled", "answers lost"])
async def test_placing_goes_on_while_dynamodb_fails_now_and_then(
    rule: Rule, aws_stage: AwsStage, microburst: Microburst, tmp_path: Path
) -> None:
    async def story(crowd: Crowd, server: ServerProcess) -> None:
        del server
        async with microburst.raging(rule) as met:
            for _ in range(MOST_TRIES):
                await crowd.progress(PROGRESS)
                if await met():  # a rule of chance may pass the few calls by that a crowd needs
                    break
        await crowd.progress(PROGRESS)

    await told(aws_stage, aws_stage.through(dynamodb_url=microburst.url), tmp_path, story)


async def test_nothing_is_acknowledged_or_seen_while_dynamodb_is_away(
    aws_stage: AwsStage, microburst: Microburst, tmp_path: Path
) -> None:
    async def story(crowd: Crowd, server: ServerProcess) -> None:
        await crowd.progress(PROGRESS)
        async with microburst.silent():
            await server.says("the right to write was not renewed in time")
            assert await crowd.hears_nothing(OUTAGE_S)
        await crowd.progress(PROGRESS)

    await told(aws_stage, aws_stage.through(dynamodb_url=microburst.url), tmp_path, story)


async def test_a_batch_that_is_left_half_done_is_done_in_the_end(
    aws_stage: AwsStage, tmp_path: Path
) -> None:
    async with proxying(aws_stage.peers.dynamodb_url) as proxy:
        proxy.acts["BatchWriteItem"] = unprocessed(Random(1), 0.5)
        through = aws_stage.through(dynamodb_url=proxy.url)

        async def story(crowd: Crowd, server: ServerProcess) -> None:
            del server
            await crowd.progress(PROGRESS)

        await told(aws_stage, through, tmp_path, story)


async def test_a_snapshot_that_s3_refuses_is_told_and_stored_later(
    aws_stage: AwsStage, tmp_path: Path
) -> None:
    async with proxying(aws_stage.peers.s3_url) as proxy:
        proxy.acts["PUT"] = failing

        async def story(crowd: Crowd, server: ServerProcess) -> None:
            said = await server.says("no snapshot was stored; the next start takes longer")
            assert aws_stage.bucket in said
            await crowd.progress(PROGRESS)
            del proxy.acts["PUT"]
            await aws_stage.has_snapshot()

        await told(aws_stage, aws_stage.through(s3_url=proxy.url), tmp_path, story)


async def test_a_put_that_meets_conflicts_is_tried_again(
    aws_stage: AwsStage, tmp_path: Path
) -> None:
    async def story(crowd: Crowd, server: ServerProcess) -> None:
        del server
        await crowd.progress(PROGRESS)
        await aws_stage.has_snapshot()

    async with proxying(aws_stage.peers.s3_url) as proxy:
        proxy.acts["PUT"] = conflicts(2)
        await told(aws_stage, aws_stage.through(s3_url=proxy.url), tmp_path, story)
