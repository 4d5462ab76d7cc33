"""The mark on a store that is only half there, also where something else lies in its place."""

from typing import Any

import pytest

from persistence.errors import StoreDamaged
from persistence.ports import Update
from persistence.tables import MAIN
from server.recovery.unfinished import KEY, Mark, check_finished, read_mark
from tests.support.memory_store import open_memory

MARK = Mark("stage a on AWS", {"place#main": "e1"}, "e2")


async def test_a_mark_is_read_as_it_was_put() -> None:
    tables = open_memory().tables
    await tables.write(MARK.put())
    assert await read_mark(tables) == MARK
    with pytest.raises(StoreDamaged, match="unfinished copy of stage a on AWS"):
        await check_finished(tables)


@pytest.mark.parametrize(
    ("name", "value"),
    [("source", 5), ("games", "place#main"), ("games", None), ("epoch", 7), ("epoch", "")],
)
async def test_what_is_no_mark_is_damage_that_tells_what_helps(name: str, value: Any) -> None:
    tables = open_memory().tables
    await tables.write(MARK.put())
    await tables.write(Update(MAIN, KEY, set={name: value}))
    with pytest.raises(StoreDamaged, match="COPY / UNFINISHED is no mark") as told:
        await read_mark(tables)
    assert "store copy" in told.value.hint
