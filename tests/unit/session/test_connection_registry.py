"""The rows of connections: behind, never in the way, and true in the end."""

import asyncio
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from persistence.errors import TransientFault
from persistence.faulty import Faults, faulty
from persistence.ports import Put, Store
from persistence.tables import MAIN
from server.audience import connection_registry
from server.audience.connection_registry import RENEW_AFTER_S, ConnectionRegistry
from server.audience.connection_rows import LIFETIME_S, NEWCOMER, PARTITION, Entry
from tests.support.clock import FakeClock
from tests.support.memory_store import open_memory
from tests.support.world import GAME, World, running

ENDPOINT = "http://127.0.0.1:8080"
ANN = Entry("ann", invisible=False, wants_presence=True, watch_version=1, watching=frozenset())
PUT, DELETE = "tables.put_many", "tables.delete_many"


@pytest.fixture(autouse=True)
def at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    for pause in ("WRITE_EVERY", "PAUSE", "RETRY"):
        monkeypatch.setattr(connection_registry, pause, 0.0)


async def rows_of(store: Store) -> dict[str, dict[str, Any]]:
    page = await store.tables.query(MAIN, PARTITION)
    return {row["sk"]: row for row in page.items}


async def written(world: World) -> dict[str, dict[str, Any]]:
    await world.services.connection_registry.flush()
    return await rows_of(world.store)


async def test_a_row_has_every_attribute_and_lives_for_a_day() -> None:
    async with running() as world:
        client = world.join()
        await client.ask(
            "subscribe", token=world.token("ann"), invisible=True, games=[{"game": GAME}]
        )
        rows = await written(world)
        ends = world.clock.wall_ms() // 1000 + LIFETIME_S
        assert rows == {
            client.connection.id: {
                "pk": "wsConnections",
                "sk": client.connection.id,
                "userId": "ann",
                "invisible": True,
                "endpoint": "",
                "watchingGames": frozenset({GAME}),
                "wantsPresence": True,
                "watchVersion": 1,
                "ttl": ends,
                "expiresAt": ends,
            }
        }


async def test_a_spectator_has_no_user_and_a_legacy_client_its_version() -> None:
    async with running() as world:
        client = world.join()
        await client.ask("subscribe", watchVersion=0, wantsPresence=False, games=[{"game": GAME}])
        (row,) = (await written(world)).values()
        assert "userId" not in row
        assert row["watchVersion"] == 0
        assert row["wantsPresence"] is False
        assert row["watchingGames"] == frozenset({GAME})


async def test_watch_games_replaces_the_set_and_an_empty_one_is_absent() -> None:
    async with running() as world:
        client = world.join()
        await client.ask("subscribe")
        await client.ask("watchGames", games=[{"game": GAME}, {"game": "place#nowhere"}])
        (row,) = (await written(world)).values()
        assert row["watchingGames"] == frozenset({GAME})
        await client.ask("watchGames", games=[])
        (row,) = (await written(world)).values()
        assert "watchingGames" not in row


async def test_whoever_goes_before_being_written_costs_nothing() -> None:
    async with running() as world:
        world.join().hang_up()
        assert world.services.connection_registry.behind == 0
        stays = world.join()
        assert set(await written(world)) == {stays.connection.id}
        stays.hang_up()
        assert await written(world) == {}


async def test_what_was_left_under_this_endpoint_goes_at_the_start_and_nothing_else() -> None:
    clock = FakeClock()
    store = open_memory(clock.wall_ms)
    for number in range(250):
        for endpoint in (ENDPOINT, "http://elsewhere"):
            item = {"pk": PARTITION, "sk": f"{endpoint} {number}", "endpoint": endpoint}
            await store.tables.write(Put(MAIN, item))
    registry = ConnectionRegistry(store.tables, clock.wall_ms, _no_fault)
    registry.note("new", ANN)
    await until_idle(registry)
    rows = await rows_of(store)
    assert len(rows) == 251
    assert {row["endpoint"] for one, row in rows.items() if one != "new"} == {"http://elsewhere"}
    assert rows["new"]["endpoint"] == ENDPOINT


async def test_while_the_store_is_away_what_is_said_last_counts_and_one_fault_is_told() -> None:
    clock, script = FakeClock(), Faults()
    store = faulty(open_memory(clock.wall_ms), script)
    told: list[str] = []
    registry = ConnectionRegistry(store.tables, clock.wall_ms, lambda doing, _: told.append(doing))
    script.fail(PUT, TransientFault("full"), times=3)
    for one in ("stays", "goes"):
        registry.note(one, NEWCOMER)
    running = asyncio.create_task(registry.run(ENDPOINT))
    while not told:  # noqa: ASYNC110  # a list tells nobody
        await asyncio.sleep(0)
    registry.note("stays", ANN)
    registry.forget("goes")
    await idle(registry)
    running.cancel()
    rows = await rows_of(store)
    assert {one: row["userId"] for one, row in rows.items()} == {"stays": "ann"}
    assert told == ["registering connections"]


async def test_who_stays_for_days_is_written_again_in_time() -> None:
    clock = FakeClock()
    store = open_memory(clock.wall_ms)
    registry = ConnectionRegistry(store.tables, clock.wall_ms, _no_fault)
    running = asyncio.create_task(registry.run(ENDPOINT))
    registry.note("old", ANN)
    await idle(registry)
    first = (await rows_of(store))["old"]["expiresAt"]
    clock.advance(RENEW_AFTER_S * 1000)
    registry.note("young", NEWCOMER)
    await idle(registry)
    running.cancel()
    rows = await rows_of(store)
    assert rows["old"]["expiresAt"] == first + RENEW_AFTER_S == rows["young"]["expiresAt"]
    assert rows["old"]["userId"] == "ann"


IDS = ["a", "b", "c"]
STEPS = st.lists(
    st.one_of(
        st.tuples(st.just("note"), st.sampled_from(IDS), st.integers(0, 3)),
        st.tuples(st.just("forget"), st.sampled_from(IDS), st.just(0)),
        st.tuples(st.just("turns"), st.just(""), st.integers(1, 12)),
        st.tuples(st.just("crash"), st.just(""), st.just(0)),
        st.tuples(st.sampled_from([PUT, DELETE]), st.sampled_from(["fails", "lost"]), st.just(0)),
    ),
    max_size=30,
)


@given(STEPS)
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_after_any_order_of_events_and_faults_the_rows_are_the_live_connections(
    steps: list[tuple[str, str, int]],
) -> None:
    asyncio.run(_truth_after(steps))


async def _truth_after(steps: list[tuple[str, str, int]]) -> None:
    """A crash leaves whatever was written, and the process after it clears that."""
    clock, script = FakeClock(), Faults()
    store = faulty(open_memory(clock.wall_ms), script)
    registry, running = _started(store, clock)
    live: dict[str, Entry] = {}
    lives = dict.fromkeys(IDS, 0)  # an id never comes back, as the door draws them
    for step, name, number in steps:
        one = f"{name}{lives.get(name)}"
        if step == "note":
            live[one] = ANN._replace(user_id=str(number))
            registry.note(one, live[one])
        elif step == "forget":
            lives[name] += 1
            live.pop(one, None)
            registry.forget(one)
        elif step == "turns":
            for _ in range(number):
                await asyncio.sleep(0)
        elif step == "crash":
            running.cancel()
            registry, running = _started(store, clock)
            live.clear()
            lives = {each: life + 1 for each, life in lives.items()}
        else:
            script.fail(step, TransientFault("away"), times=1, answer_lost=name == "lost")
    await idle(registry)
    running.cancel()
    stored = await rows_of(store)
    assert {one: row["userId"] for one, row in stored.items()} == {
        one: entry.user_id for one, entry in live.items()
    }


def _started(store: Store, clock: FakeClock) -> tuple[ConnectionRegistry, asyncio.Task[None]]:
    registry = ConnectionRegistry(store.tables, clock.wall_ms, lambda *_: None)
    return registry, asyncio.create_task(registry.run(ENDPOINT))


async def until_idle(registry: ConnectionRegistry) -> None:
    """Let it run, for the first time, until all is written."""
    running = asyncio.create_task(registry.run(ENDPOINT))
    await idle(registry)
    running.cancel()


async def idle(registry: ConnectionRegistry) -> None:
    await settle()
    while registry.behind:  # noqa: ASYNC110  # it tells nobody, and this ends soon
        await asyncio.sleep(0)
    await settle()


async def settle() -> None:
    for _ in range(30):
        await asyncio.sleep(0)


def _no_fault(doing: str, fault: Exception) -> None:
    raise AssertionError(doing) from fault
