"""A full disk, for real: what waits is kept, nothing is shown too early, watching goes on."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.support.disks import Disk, Limit, small_disk
from tests.support.foreign import GAME, JSON, dialled, place_frame
from tests.support.ledger import read_ledger
from tests.support.probe import ask, ask_until
from tests.support.processes import process
from tests.support.standstill import joining_goes_on, nothing_is_told

pytestmark = pytest.mark.chaos

BACKLOG = 8
BUSY = 7
FLAGS = (
    *("--size", "64x40", "--cooldown-ms", "0", "--max-backlog", str(BACKLOG)),
    *("--snapshot-interval", "1", "--snapshot-pixels", "1"),
)
BEFORE = [(x, 1, x) for x in range(5)]
WAITING = [(x, 2, x) for x in range(BACKLOG)]


@pytest.fixture(params=["disk", "limit"])
def disk(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Disk]:
    if request.param == "limit":
        yield Limit(tmp_path)
        return
    with small_disk(tmp_path / "disk") as small:
        yield small


async def test_pending_stays_pending_until_space_returns(disk: Disk) -> None:
    async with process(disk.data, *FLAGS) as server:
        async with dialled(server.url) as player, dialled(server.url, JSON) as watcher:
            await player.play()
            await watcher.play(guest=False)
            assert [ack.status for ack in await player.put(*BEFORE)] == [0] * len(BEFORE)
            disk.fill(server.pid)
            heard = len(player.heard)
            await player.socket.send(place_frame(*WAITING, request=1))
            not_ready = await ask_until(server.port, "readyz", 503)
            assert "tried again" in not_ready.text or "free some space" in not_ready.text
            assert "wait for the store" in not_ready.text

            await nothing_is_told(player, heard, len(BEFORE))
            await watching_goes_on(server.url)
            (refused,) = await player.put((9, 9, 9))
            assert refused.status == BUSY
            assert (await ask(server.port, "healthz")).status == 200
            await watcher.ask("ping")
            assert watcher.follower.seq == len(BEFORE)

            disk.free(server.pid)
            acks = await player.acks(BACKLOG)
            assert [(ack.status, ack.seq) for ack in acks] == [
                (0, len(BEFORE) + 1 + index) for index in range(BACKLOG)
            ]
            await ask_until(server.port, "readyz", 200)
            assert (await player.put((9, 9, 9)))[0].status == 0
            await watcher.hear_until(lambda _: watcher.follower.seq == len(BEFORE) + BACKLOG + 1)
            assert await watcher.in_step_by_checksum()
        await server.kill()
        ledger = await read_ledger(disk.data)
        stored = [(row["x_original"], row["y_original"], row["colorIndex"]) for row in ledger.rows]
        assert stored == [*BEFORE, *WAITING, (9, 9, 9)]
        await server.start()
        async with dialled(server.url) as late:
            await late.play()
            assert late.follower.seq == ledger.seq
            assert await late.in_step_by_checksum()


async def watching_goes_on(url: str) -> None:
    await joining_goes_on(url, len(BEFORE))
    async with dialled(url) as late:
        x, y, color = BEFORE[-1]
        assert (await late.ask("pixel", game=GAME, x=x, y=y))["color"] == color
        x, y, _ = WAITING[-1]
        assert (await late.ask("pixel", game=GAME, x=x, y=y))["color"] == 15
