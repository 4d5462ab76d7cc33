"""A lease whose item was taken away counts from 1 again: nothing that is placed then is dropped."""

import pytest

from persistence.errors import StoreDamaged
from persistence.ports import Put, Update
from persistence.tables import CONFIG
from server.game.config import key_of
from server.recovery.fences import last_fence
from tests.support.games import NAME
from tests.support.memory_store import open_memory
from tests.support.runs import Lives, same_board


async def test_a_fence_that_was_there_before_is_refused_and_changes_nothing() -> None:
    store = open_memory()
    lives = Lives(store)
    for x in range(3):
        run = await lives.start()
        await run.place(x, 1, 3)
        await run.die()
    before = await store.tables.get(CONFIG, key_of(NAME))
    with pytest.raises(StoreDamaged, match=r"fence 1, but .* 3") as told:
        await lives.start(fence=1)
    assert "start again" in told.value.hint
    assert await store.tables.get(CONFIG, key_of(NAME)) == before


async def test_above_the_last_fence_everything_stays() -> None:
    store = open_memory()
    lives = Lives(store)
    for x in range(3):
        run = await lives.start()
        await run.place(x, 1, 3)
        await run.die()
    assert await last_fence(store.tables) == 3
    run = await lives.start()
    await run.place(9, 9, 5)
    await run.die()
    again = await lives.start()
    same_board(run, again)
    await again.die()


async def test_no_game_knows_of_a_fence_before_it_was_served() -> None:
    assert await last_fence(open_memory().tables) == 0


async def test_what_cannot_be_read_is_passed_over() -> None:
    tables = open_memory().tables
    await tables.write(Put(CONFIG, {"PK": "CONFIG", "SK": "GAME#a", "fence": "x", "writers": [1]}))
    await tables.write(
        Put(CONFIG, {"PK": "CONFIG", "SK": "GAME#b", "fence": 4, "writers": {"7": 1, "x": 2}})
    )
    assert await last_fence(tables) == 7
    await tables.write(Update(CONFIG, key_of(NAME), set={"fence": 9}))
    assert await last_fence(tables) == 9
