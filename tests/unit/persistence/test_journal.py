"""The journal on SQLite beyond the contract: large items, many segments, foreign cursors."""

from pathlib import Path

import pytest

import persistence.sqlite_journal
import persistence.sqlite_reader
from persistence.errors import PermanentFault
from persistence.ports import Item, Rectangle
from tests.support.stores import control_item, embedded, history_item


def large(seq: int) -> Item:
    return {**control_item(seq, "cells"), "records": "A" * 100_000}


async def test_pages_of_large_items_are_shorter(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(persistence.sqlite_reader, "MAX_TEXT_BYTES", 450_000)
    items = [history_item(1), *[large(seq) for seq in range(2, 20)], history_item(20)]
    async with embedded(tmp_path) as store:
        await store.journal.commit(items)
        pages = [page async for page in store.journal.read(["HISTORY"], page=50)]
    assert [item for page in pages for item in page] == items


async def test_an_item_over_the_bound_is_refused(tmp_path: Path) -> None:
    async with embedded(tmp_path) as store:
        with pytest.raises(PermanentFault) as caught:
            await store.journal.commit([{**control_item(1, "cells"), "records": "A" * 450_000}])
        assert "error in the program" in caught.value.hint
        assert await store.journal.count(["HISTORY"]) == 0


async def test_lookups_cross_segments_and_restarts(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(persistence.sqlite_journal, "SEGMENT_ITEMS", 4)
    items = [history_item(seq, x=seq % 2) for seq in range(1, 31)]
    for first in range(0, 30, 10):
        async with embedded(tmp_path) as store:
            for item in items[first : first + 10]:
                await store.journal.commit([item])
    async with embedded(tmp_path) as store:
        odd = await store.journal.within(["HISTORY"], Rectangle(1, 0, 1, 0), limit=9)
        rest = await store.journal.within(
            ["HISTORY"], Rectangle(1, 0, 1, 0), limit=9, cursor=odd.cursor
        )
        user = await store.journal.by_user("user-2")
    assert odd.items + rest.items == [item for item in items if item["seq"] % 2][::-1]
    assert user.items == [item for item in items if item["userId"] == "user-2"][::-1]


@pytest.mark.parametrize("cursor", ["", "x", "[]", '["a"]', '["a", 1]', '["a", "b", "c"]', "7"])
async def test_a_foreign_cursor_is_refused(tmp_path: Path, cursor: str) -> None:
    async with embedded(tmp_path) as store:
        with pytest.raises(PermanentFault):
            await store.journal.within(["HISTORY"], Rectangle(0, 0, 1, 1), cursor=cursor)
        with pytest.raises(PermanentFault):
            await store.journal.by_user("user-1", cursor=cursor)
