"""Presence as connections hear it, and its number, which never goes back."""

import asyncio
from dataclasses import dataclass, field
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

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


async def test_those_who_ask_within_a_window_share_an_answer_which_is_never_older() -> None:
    async with running() as world:
        client = await listener(world)
        first = (await client.ask("syncPresence"))["presence"]
        await world.join().ask("subscribe", token=world.token("ann"))
        assert (await client.ask("syncPresence"))["presence"] == first
        await world.services.presence.flush()
        after = (await client.ask("syncPresence"))["presence"]
        assert after["visible"] == [{"id": "ann", "name": "Ann"}]
        assert after["seq"] == first["seq"] + 1


@dataclass
class Follower:
    """A client by the book: deltas one after the other, a gap is asked for."""

    client: Client
    user: str | None
    invisible: bool
    stalled: bool = False
    seq: int = -1
    here: dict[str, str] = field(default_factory=dict)
    totals: tuple[int, int] = (0, 0)

    def take(self, told: dict[str, Any]) -> None:
        if told["type"] == "snapshot":
            self.here = {one["id"]: one["name"] for one in told["visible"]}
        elif told["seq"] <= self.seq:
            return
        else:
            assert told["seq"] == self.seq + 1, "a gap that nothing made up for"
            self.here.update({one["id"]: one["name"] for one in told["joins"]})
            for gone in told["leaves"]:
                self.here.pop(gone, None)
        self.seq = told["seq"]
        self.totals = (told["total"], told["spectators"])

    def stall(self, *, stalled: bool) -> None:
        """Stop reading, or go on."""
        if stalled != self.stalled:
            self.stalled = stalled
            self.client.connection.writable = not stalled
            session = self.client.session
            (session.writing_paused if stalled else session.writing_resumed)()

    def hear(self) -> None:
        for one in self.client.heard():
            if isinstance(one, dict) and one.get("event") == "presence":
                self.take(one)


USERS = st.sampled_from(["ann", "bob", "cid"])
STEPS = st.lists(
    st.one_of(
        st.tuples(st.just("come"), USERS | st.none(), st.booleans()),
        st.tuples(st.just("go"), st.integers(0, 5), st.just(value=False)),
        st.tuples(st.just("sync"), st.integers(0, 5), st.just(value=False)),
        st.tuples(st.just("stall"), st.integers(0, 5), st.booleans()),
        st.tuples(st.just("away"), st.just(0), st.booleans()),
        st.tuples(st.just("flush"), st.just(0), st.just(value=False)),
    ),
    max_size=25,
)


@given(STEPS)
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
def test_after_any_order_of_comings_goings_and_faults_every_client_knows_who_is_here(
    steps: list[tuple[str, Any, bool]],
) -> None:
    asyncio.run(_all_know(steps))


async def _all_know(steps: list[tuple[str, Any, bool]]) -> None:
    async with running() as world:
        followers: list[Follower] = []
        for step, which, flag in steps:
            if step == "come":
                followers.append(await _come(world, which, invisible=flag))
            elif step == "away":
                world.script.fail("tables.write", TransientFault("away"), times=1, answer_lost=flag)
            elif step == "flush":
                await _flush(world, followers)
            elif followers:
                await _change(followers, which % len(followers), step, flag=flag)
        for follower in followers:
            follower.stall(stalled=False)
        await _flush(world, followers)
        hidden = {one.user for one in followers if one.invisible}
        users = {one.user for one in followers} - {None}
        spectators = sum(one.user is None for one in followers)
        here = {user: user.title() for user in users - hidden if user is not None}
        for follower in followers:
            assert follower.here == here
            assert follower.totals == (len(users), spectators)
        world.faults.clear()


async def _come(world: World, user: str | None, *, invisible: bool) -> Follower:
    token = {} if user is None else {"token": world.token(user)}
    client = world.join()
    follower = Follower(client, user, invisible)
    follower.take((await client.ask("subscribe", invisible=invisible, **token))["presence"])
    return follower


async def _flush(world: World, followers: list[Follower]) -> None:
    await world.services.presence.flush()
    for follower in followers:
        follower.hear()


async def _change(followers: list[Follower], index: int, step: str, *, flag: bool) -> None:
    follower = followers[index]
    if step == "go":
        followers.pop(index).client.hang_up()
    elif step == "stall":
        follower.stall(stalled=flag)
    elif not follower.stalled:
        follower.hear()
        follower.take((await follower.client.ask("syncPresence"))["presence"])
