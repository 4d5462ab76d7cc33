"""What a superseded writer sends late changes nothing: neither the config, nor what is read."""

import asyncio

import pytest

from persistence.errors import ConditionFailed, TransientFault
from persistence.faulty import Faults, faulty
from persistence.ports import Key, Update
from persistence.tables import CONFIG
from tests.support.games import NAME
from tests.support.memory_store import open_memory
from tests.support.runs import Lives, same_board

KEY = Key("CONFIG", "SINGLETON")


async def test_a_late_control_event_is_refused_as_a_whole() -> None:
    store, faults = open_memory(), Faults()
    frozen = await Lives(faulty(store, faults)).start()
    faults.hold("journal.commit")
    frozen.game.resize("right", 5)
    await asyncio.sleep(0)
    lives = Lives(store)
    await (await lives.start()).die()
    taker = await lives.start()
    await taker.place(1, 1, 3)
    before = await store.tables.get(CONFIG, KEY)
    faults.release("journal.commit")
    async with asyncio.timeout(5):
        await asyncio.wait([frozen._committing])
    assert isinstance(frozen.game.fault, ConditionFailed)
    assert await store.tables.get(CONFIG, KEY) == before
    await taker.die()
    again = await lives.start()
    same_board(taker, again)
    await again.die()


async def test_a_late_snapshot_does_not_raise_the_config() -> None:
    store = open_memory()
    lives = Lives(store)
    frozen = await lives.start()
    await frozen.place(1, 1, 3)
    taker = await lives.start()
    before = await store.tables.get(CONFIG, KEY)
    await frozen.snapshot()
    assert await store.tables.get(CONFIG, KEY) == before
    await taker.die()
    await frozen.die()


async def test_a_config_that_changes_while_it_is_read_stops_the_start() -> None:
    store, faults = open_memory(), Faults()
    await (await Lives(store).start()).die()
    faults.hold("journal.count")
    starting = asyncio.create_task(Lives(faulty(store, faults)).start())
    await asyncio.sleep(0)
    await store.tables.write(Update(CONFIG, KEY, set={"seq": 7}))
    faults.release("journal.count")
    with pytest.raises(TransientFault, match="changed while it was read") as stopped:
        await starting
    assert NAME in str(stopped.value)
    assert stopped.value.hint
