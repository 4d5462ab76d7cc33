"""Another server took the right to write: this one takes nothing more, stores nothing, and ends."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace

import pytest
from aiohttp import ClientSession

from persistence.errors import LeaseLost
from persistence.faulty import Faults
from persistence.ports import Store
from server.phase import Stage
from tests.support.foreign import Foreign, dialled
from tests.support.leases import TAKEN, LosableLease
from tests.support.memory_store import open_memory
from tests.support.serving import Serving, composed, serving
from tests.support.sockets import WAIT_S, until


@dataclass
class Leased:
    """A server that runs, as a process runs it."""

    room: Serving
    store: Store
    lease: LosableLease
    running: "asyncio.Task[int]"
    faults: Faults

    async def loss(self) -> LeaseLost:
        """Wait for its end, which is the loss."""
        with pytest.raises(LeaseLost) as lost:
            async with asyncio.timeout(WAIT_S):
                await self.running
        return lost.value


@asynccontextmanager
async def running() -> AsyncIterator[Leased]:
    lease = LosableLease()
    store = replace(open_memory(), lease=lease)
    lifecycle, faults = composed(store=store)
    async with ClientSession() as http:
        room = Serving(lifecycle, http, faults)
        task = asyncio.create_task(lifecycle.run())
        try:
            await until(lambda: room.services.phase.stage is Stage.READY)
            yield Leased(room, store, lease, task, faults)
        finally:
            task.cancel()
            await asyncio.wait([task])


async def joined(player: Foreign) -> None:
    await player.play()
    await player.put((1, 1, 5))


async def test_it_ends_with_the_loss_and_sends_its_clients_back() -> None:
    async with running() as server, dialled(server.room.url) as player:
        await joined(player)
        server.lease.take_away()
        await player.event("going")
        closing, code = await player.end()
        assert code == 1012, "which tells a client to come back"
        assert closing is not None
        assert closing["retryAfterMs"] >= 1000
        assert await server.loss() is TAKEN
        assert "another server took over; this one ends" in server.room.log.warnings
        assert server.room.log.errors == []
        assert await server.store.blobs.list("") == [], "the snapshots are another's to store"


async def test_what_is_on_its_way_is_neither_acknowledged_nor_seen() -> None:
    async with running() as server, dialled(server.room.url) as player:
        await joined(player)
        server.faults.hold("journal.commit")
        command_id = await player.say("place", game="place#main", x=3, y=4, color=5)
        await player.ask("ping")
        server.lease.take_away()
        server.faults.release("journal.commit")
        await player.event("going")
        await player.end()
        assert player.follower.seq == 1
        dicts = [message for message in player.heard if isinstance(message, dict)]
        assert [message for message in dicts if message.get("re") == command_id] == []
        await server.loss()


async def test_while_it_is_not_renewed_the_server_is_not_ready_and_then_is_again() -> None:
    async with running() as server, dialled(server.room.url) as player:
        await joined(player)
        server.lease.is_valid = False
        command_id = await player.say("place", game="place#main", x=3, y=4, color=5)
        await until(lambda: not server.room.services.phase.takes_placements)
        assert (await server.room.get("readyz")).status == 503
        async with dialled(server.room.url) as other:
            await other.play()
            await until(lambda: "the store is away" in server.room.log.warnings)  # for presence
            server.lease.is_valid = True
        assert (await player.reply(command_id))["seq"] == 2
        await until(lambda: server.room.services.phase.takes_placements)
        assert (await server.room.get("readyz")).status == 200
        server.lease.take_away()
        await server.loss()


async def test_who_comes_while_it_waits_for_its_turn_is_told_that_it_starts() -> None:
    lease = LosableLease()
    lease.turn.clear()
    async with serving(ready=False, store=replace(open_memory(), lease=lease)) as room:
        assert (await room.get("healthz")).status == 200
        assert (await room.get("readyz")).status == 503
        async with room.dial() as player:
            await player.event("starting")
            assert (await player.end())[1] == 4101
        lease.turn.set()


async def test_a_snapshot_that_meets_a_higher_fence_is_the_end_too() -> None:
    async with running() as server, dialled(server.room.url) as player:
        await joined(player)
        server.faults.fail("blobs.put", TAKEN)
        server.room.stop_soon()
        await player.end()
        assert server.room._stopping is not None
        with pytest.raises(LeaseLost):
            await server.room._stopping
        assert not server.lease.valid()
