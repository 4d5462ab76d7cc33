"""Presence as connections hear it, and its number, which never goes back."""

import asyncio

import pytest

from persistence.errors import TransientFault
from persistence.ports import Update
from persistence.tables import MAIN
from server.audience import presence_service
from server.audience.presence_service import NUMBER_KEY
from tests.support.world import Client, World, running


@pytest.fixture(autouse=True)
def at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(presence_service, "RETRY", 0.0)


async def listener(world: World) -> Client:
    client = world.join()
    await client.ask("subscribe")
    await world.services.presence.flush()
    client.heard()
    return client


async def stored_number(world: World) -> int:
    item = await world.store.tables.get(MAIN, NUMBER_KEY)
    assert item is not None
    return int(item["seq"])


async def test_a_delta_names_who_joined_and_carries_the_stored_number() -> None:
    async with running() as world:
        client = await listener(world)
        await world.join().ask("subscribe", token=world.token("ann"))
        await world.services.presence.flush()
        (delta,) = client.heard()
        assert delta == {
            "event": "presence",
            "type": "delta",
            "seq": 2,
            "joins": [{"id": "ann", "name": "Ann"}],
            "leaves": [],
            "total": 1,
            "spectators": 1,
        }
        assert await stored_number(world) == 2


async def test_c30_three_tabs_are_one_join_and_one_leave() -> None:
    async with running() as world:
        client = await listener(world)
        tabs = [world.join() for _ in range(3)]
        for tab in tabs:
            await tab.ask("subscribe", token=world.token("ann"))
        await world.services.presence.flush()
        assert [len(one["joins"]) for one in client.heard()] == [1]
        for tab in tabs:
            tab.hang_up()
        await world.services.presence.flush()
        assert [one["leaves"] for one in client.heard()] == [["ann"]]


async def test_c30_the_invisible_never_show() -> None:
    async with running() as world:
        client = await listener(world)
        hidden = world.join()
        await hidden.ask("subscribe", token=world.token("ann"), invisible=True)
        await world.services.presence.flush()
        hidden.hang_up()
        await world.services.presence.flush()
        assert [(one["joins"], one["leaves"]) for one in client.heard()] == [([], [])] * 2


async def test_nothing_is_told_to_those_who_do_not_want_it() -> None:
    async with running() as world:
        client = world.join()
        await client.ask("subscribe", wantsPresence=False)
        await world.services.presence.flush()
        assert client.heard() == []


async def test_the_number_goes_on_after_a_restart() -> None:
    async with running() as world:
        await world.store.tables.write(Update(MAIN, NUMBER_KEY, set={"seq": 41}))
        await world.services.presence.start()
        client = world.join()
        assert (await client.ask("subscribe"))["presence"]["seq"] == 41
        await world.services.presence.flush()
        assert client.heard()[-1]["seq"] == 42


@pytest.mark.parametrize("done", [False, True])
async def test_while_the_store_is_away_deltas_wait_and_merge(*, done: bool) -> None:
    async with running() as world:
        client = await listener(world)
        fault = TransientFault("away")
        world.script.fail("tables.write", fault, times=2, answer_lost=done)
        await world.join().ask("subscribe", token=world.token("ann"))
        await world.services.presence.flush()
        (delta,) = client.heard()
        assert [person["id"] for person in delta["joins"]] == ["ann"]
        assert await stored_number(world) == delta["seq"]
        assert [doing for doing, _ in world.faults] == ["raising the presence number"]
        world.faults.clear()


async def test_many_changes_at_once_are_told_as_a_snapshot(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(presence_service, "MAX_CHANGES", 2)
    async with running() as world:
        client = await listener(world)
        for name in ("ann", "bob", "cid"):
            await world.join().ask("subscribe", token=world.token(name))
        await world.services.presence.flush()
        (event,) = client.heard()
        assert (event["type"], event["seq"], event["total"]) == ("snapshot", 2, 3)


async def test_a_slow_reader_gets_a_snapshot_when_it_drains() -> None:
    async with running() as world:
        client = await listener(world)
        client.connection.writable = False
        client.session.writing_paused()
        await world.join().ask("subscribe", token=world.token("ann"))
        await world.services.presence.flush()
        assert client.heard() == []
        client.connection.writable = True
        client.session.writing_resumed()
        (event,) = client.heard()
        assert (event["type"], event["seq"]) == ("snapshot", 2)
        assert event["visible"] == [{"id": "ann", "name": "Ann"}]


async def test_changes_are_told_without_being_asked() -> None:
    async with running() as world:
        client = await listener(world)
        telling = asyncio.create_task(world.services.presence.run())
        await world.join().ask("subscribe", token=world.token("ann"))
        while not (heard := client.heard()):
            await world.quiet()
        telling.cancel()
        assert [person["id"] for person in heard[0]["joins"]] == ["ann"]


async def test_who_came_and_went_is_not_told_and_costs_no_number() -> None:
    async with running() as world:
        client = await listener(world)
        world.join().hang_up()
        await world.services.presence.flush()
        assert client.heard() == []
        await world.join().ask("subscribe", token=world.token("ann"))
        await world.services.presence.flush()
        assert [one["seq"] for one in client.heard()] == [2]


async def test_a_number_raised_by_somebody_else_is_gone_past() -> None:
    async with running() as world:
        client = await listener(world)
        await world.store.tables.write(Update(MAIN, NUMBER_KEY, set={"seq": 90}))
        await world.join().ask("subscribe", token=world.token("ann"))
        await world.services.presence.flush()
        assert client.heard()[-1]["seq"] >= 90
