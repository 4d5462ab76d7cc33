"""The promise of the whole: kill -9, again and again, loses nothing that anyone saw."""

import os
from pathlib import Path

import pytest

from tests.support.aws import AwsStage
from tests.support.ordeal import Scene, embedded_scene, ordeal

# Not under the server's own prefix: it refuses to start with a variable that it does not know.
KILLS = int(os.environ.get("CHAOS_KILLS", "20"))
BOTS = int(os.environ.get("CHAOS_BOTS", "200"))
AWS_KILLS = int(os.environ.get("CHAOS_AWS_KILLS", "4"))
"""Each costs the time of a lease, for which the successor has to wait."""
AWS_BOTS = int(os.environ.get("CHAOS_AWS_BOTS", "50"))
SPECTATORS = 20
SHOWN = 20

pytestmark = pytest.mark.chaos


async def test_nothing_that_anyone_saw_is_lost_by_sigkill(tmp_path: Path) -> None:
    await bears(embedded_scene(tmp_path / "data"), kills=KILLS, bots=BOTS)


async def test_nothing_that_anyone_saw_is_lost_by_sigkill_on_aws(
    aws_stage: AwsStage, tmp_path: Path
) -> None:
    await bears(aws_stage.scene(tmp_path), kills=AWS_KILLS, bots=AWS_BOTS)


async def bears(scene: Scene, *, kills: int, bots: int) -> None:
    account = await ordeal(scene, kills=kills, bots=bots, spectators=SPECTATORS, seed=1)
    print(account)
    assert account.complaints[:SHOWN] == []
    assert account.agreeing == bots + SPECTATORS
    assert account.placed > bots
    assert account.resumes["snapshot"] <= account.resumes.total() / 20, "the exception"
