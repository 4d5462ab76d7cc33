"""How many watch, as those who watch are told."""

import pytest

from server.audience import watcher_counts
from tests.support.world import GAME, Client, World, running


async def watcher(world: World) -> Client:
    client = world.join()
    await client.ask("subscribe", games=[{"game": GAME}])
    client.heard()
    return client


async def test_a_change_is_told_once_to_those_who_watch() -> None:
    async with running() as world:
        first, idle = await watcher(world), world.join()
        idle.heard()
        await watcher(world)
        counts = world.watcher_counts
        await counts.tell()
        assert first.heard() == [{"event": "watchers", "game": GAME, "watchers": 2}]
        await counts.tell()
        assert first.heard() == idle.heard() == []


async def test_a_small_change_in_a_crowd_is_told_later(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(watcher_counts, "SHARE", 1)
    async with running() as world:
        clients = [await watcher(world) for _ in range(3)]
        counts = world.watcher_counts
        await counts.tell()
        clients[2].hang_up()
        clients[0].heard()
        await counts.tell()
        assert clients[0].heard() == []
        for _ in range(watcher_counts.ROUNDS):
            await counts.tell()
        assert [one["watchers"] for one in clients[0].heard()] == [2]


async def test_a_full_socket_is_left_alone() -> None:
    async with running() as world:
        client = await watcher(world)
        client.connection.writable = False
        await world.watcher_counts.tell()
        assert client.heard() == []
