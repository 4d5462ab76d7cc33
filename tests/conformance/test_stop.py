"""Told to stop: at any moment it ends cleanly, with what was acknowledged on the disk."""

import asyncio
import os
import signal
from pathlib import Path

from tests.support.foreign import dialled
from tests.support.processes import ServerProcess, process
from tests.support.serving import composed, serving
from tests.support.sockets import until


async def test_told_while_it_recovers_it_gives_up_at_once() -> None:
    lifecycle, faults = composed(held="journal.read")
    running = asyncio.create_task(lifecycle.run())
    await until(lambda: lifecycle._parts.listener.port != 0)
    os.kill(os.getpid(), signal.SIGTERM)
    async with asyncio.timeout(5):
        assert await running == 0
    assert lifecycle._parts.listener.port == 0
    faults.release("journal.read")


async def test_told_as_soon_as_it_is_ready_it_stops_cleanly(tmp_path: Path) -> None:
    server = ServerProcess(tmp_path / "data", "--size", "16x16")
    await server.start()
    assert await server.stop() == 0


async def test_what_waits_is_committed_and_acknowledged_before_the_close() -> None:
    async with serving() as room, room.dial() as player:
        await player.play()
        room.faults.hold("journal.commit")
        command_id = await player.say("place", game="place#main", x=3, y=4, color=5)
        await player.ask("ping")
        room.stop_soon()
        await player.event("going")
        assert (await player.place(0, 0, 1))["error"]["code"] == "busy"
        room.faults.release("journal.commit")
        assert (await player.reply(command_id))["seq"] == 1
        closing, code = await player.end()
        assert code == 1012
        assert closing is not None
        assert closing["retryAfterMs"] >= 1000


async def test_after_a_stop_the_board_comes_from_its_snapshot(tmp_path: Path) -> None:
    async with process(tmp_path / "data", "--size", "16x16", "--cooldown-ms", "0") as server:
        async with dialled(server.url) as player:
            await player.play()
            await player.put(*[(x, 0, x % 15) for x in range(16)])
        assert await server.stop() == 0
        assert list((tmp_path / "data" / "blobs").rglob("canvas.bin*")) != []
        await server.start()
        async with dialled(server.url) as player:
            await player.play()
            assert player.follower.board is not None
            assert [player.follower.board.get(x, 0) for x in range(16)] == [
                x % 15 for x in range(16)
            ]
