"""Rows of the history on SQLite: as many as there are, whatever the size of a step."""

from pathlib import Path

import pytest

import persistence.sqlite.rows
from persistence.errors import PermanentFault
from persistence.sqlite.rows import STEP_ROWS, sorts_of, values_of
from tests.support.stores import control_item, embedded, history_item


@pytest.mark.parametrize("count", [1, 2, 3, 5, 8, 9, STEP_ROWS, STEP_ROWS + 1])
async def test_a_commit_adds_each_item_once(tmp_path: Path, count: int) -> None:
    items = [history_item(seq) for seq in range(1, count + 1)]
    async with embedded(tmp_path) as store:
        await store.journal.commit(items)
        assert await store.journal.count(["HISTORY"]) == count
        assert [item async for page in store.journal.read(["HISTORY"]) for item in page] == items


async def test_many_steps_are_one_transaction(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(persistence.sqlite.rows, "STEP_ROWS", 2)
    too_large = {**control_item(5, "cells"), "records": "A" * 450_000}
    items = [history_item(seq) for seq in range(1, 5)]
    async with embedded(tmp_path) as store:
        with pytest.raises(PermanentFault):
            await store.journal.commit([*items, too_large])
        assert await store.journal.count(["HISTORY"]) == 0
        await store.journal.commit(items)
        assert await store.journal.count(["HISTORY"]) == 4


async def test_the_newest_of_two_items_with_one_key_counts(tmp_path: Path) -> None:
    async with embedded(tmp_path) as store:
        await store.journal.commit([history_item(1), {**history_item(1), "colorIndex": 9}])
        (page,) = [page async for page in store.journal.read(["HISTORY"])]
    assert [item["colorIndex"] for item in page] == [9]


def test_sort_keys_are_found_among_the_columns() -> None:
    items = [history_item(1), control_item(2, "cells"), history_item(3)]
    assert sorts_of(values_of(items)) == [item["SK"] for item in items]


@pytest.mark.parametrize("name", ["PK", "SK"])
@pytest.mark.parametrize("part", [None, 5, "", "a\0b", "x" * 4096, "\ud800"])
def test_what_is_no_key_is_found_among_keys(name: str, part: object) -> None:
    items = [history_item(1), {**history_item(2), name: part}, history_item(3)]
    with pytest.raises(PermanentFault, match="is no key"):
        values_of(items)


def test_keys_may_be_of_any_script() -> None:
    items = [history_item(1), {**history_item(2), "PK": "HISTORY#größer"}]
    assert values_of(items)[0] == "HISTORY"
    assert "HISTORY#größer" in values_of(items)


def test_nothing_has_no_columns() -> None:
    assert values_of([]) == []
