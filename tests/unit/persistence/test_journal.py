"""The journal on SQLite beyond the contract: large items, many segments, foreign cursors."""

import re
import sqlite3
from collections.abc import Awaitable, Callable, Sequence
from contextlib import closing
from pathlib import Path

import pytest

import persistence.sqlite.journal
import persistence.sqlite.lookup
import persistence.sqlite.reader
from persistence.embedded.store import DATABASE_NAME
from persistence.errors import PermanentFault
from persistence.ports import Item, Lookback, Page, Rectangle, Store
from persistence.sqlite.journal import SqliteJournal
from tests.support.stores import control_item, embedded, history_item


def large(seq: int) -> Item:
    return {**control_item(seq, "cells"), "records": "A" * 100_000}


async def test_pages_of_large_items_are_shorter(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(persistence.sqlite.reader, "MAX_TEXT_BYTES", 450_000)
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
    monkeypatch.setattr(persistence.sqlite.journal, "SEGMENT_ITEMS", 4)
    items = [history_item(seq, x=seq % 2) for seq in range(1, 31)]
    for first in range(0, 30, 10):
        async with embedded(tmp_path) as store:
            for item in items[first : first + 10]:
                await store.journal.commit([item])
    async with embedded(tmp_path) as store:
        odd = await store.journal.within(["HISTORY"], Rectangle(1, 0, 1, 0), Lookback(limit=9))
        rest = await store.journal.within(
            ["HISTORY"], Rectangle(1, 0, 1, 0), Lookback(limit=9, cursor=odd.cursor)
        )
        user = await store.journal.by_user("user-2")
    assert odd.items + rest.items == [item for item in items if item["seq"] % 2][::-1]
    assert user.items == [item for item in items if item["userId"] == "user-2"][::-1]


@pytest.mark.parametrize("cursor", ["", "x", "[]", '["a"]', '["a", 1]', '["a", "b", "c"]', "7"])
async def test_a_foreign_cursor_is_refused(tmp_path: Path, cursor: str) -> None:
    async with embedded(tmp_path) as store:
        with pytest.raises(PermanentFault):
            await store.journal.within(["HISTORY"], Rectangle(0, 0, 1, 1), Lookback(cursor=cursor))
        with pytest.raises(PermanentFault):
            await store.journal.by_user("user-1", Lookback(cursor=cursor))


@pytest.fixture
def tiny_steps(monkeypatch: pytest.MonkeyPatch) -> None:
    """Segments of four items, and two of them a call."""
    monkeypatch.setattr(persistence.sqlite.journal, "SEGMENT_ITEMS", 4)
    monkeypatch.setattr(persistence.sqlite.lookup, "MAX_SEGMENTS", 2)


async def committed(tmp_path: Path, items: Sequence[Item]) -> None:
    async with embedded(tmp_path) as store:
        for item in items:
            await store.journal.commit([item])


async def followed(look: Callable[[str | None], Awaitable[Page]]) -> list[Page]:
    pages = [await look(None)]
    while (cursor := pages[-1].cursor) is not None and len(pages) < 200:
        pages.append(await look(cursor))
    return pages


@pytest.mark.usefixtures("tiny_steps")
@pytest.mark.parametrize("limit", [1, 3, 50])
async def test_a_call_looks_into_few_segments_and_goes_on_from_there(
    tmp_path: Path, limit: int
) -> None:
    items = [history_item(seq, x=int(seq in (2, 30, 31))) for seq in range(1, 61)]
    await committed(tmp_path, items)
    async with embedded(tmp_path) as store:
        pages = await followed(
            lambda cursor: store.journal.within(
                ["HISTORY"], Rectangle(1, 0, 1, 0), Lookback(limit=limit, cursor=cursor)
            )
        )
    assert [item["seq"] for page in pages for item in page.items] == [31, 30, 2]
    assert pages[0].items == []
    assert 3 < len(pages) <= 12


@pytest.mark.usefixtures("tiny_steps")
async def test_segments_that_reach_into_each_other_hold_nothing_up(tmp_path: Path) -> None:
    """Each segment has one old item, so that all of them reach down to the oldest."""
    recent = [history_item(seq, x=1) for seq in range(100, 160)]
    old = [history_item(seq, x=1) for seq in range(1, 21)]
    mixed = [
        item for at, new in enumerate(recent) for item in (*old[at // 3 :][: at % 3 == 0], new)
    ]
    await committed(tmp_path, mixed)
    async with embedded(tmp_path) as store:
        for limit in (1, 7, 100):
            pages = await followed(
                lambda cursor, limit=limit: store.journal.within(  # type: ignore[misc]
                    ["HISTORY"], Rectangle(1, 0, 1, 0), Lookback(limit=limit, cursor=cursor)
                )
            )
            found = [item for page in pages for item in page.items]
            assert found == sorted(mixed, key=lambda item: str(item["SK"]), reverse=True)


async def test_a_lookup_of_large_items_gives_shorter_pages(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(persistence.sqlite.reader, "MAX_TEXT_BYTES", 450_000)
    items = [{**history_item(seq), "note": "A" * 100_000} for seq in range(1, 20)]
    await committed(tmp_path, items)
    async with embedded(tmp_path) as store:
        pages = await followed(
            lambda cursor: store.journal.within(
                ["HISTORY"], Rectangle(0, 0, 0, 0), Lookback(limit=50, cursor=cursor)
            )
        )
    assert [item for page in pages for item in page.items] == items[::-1]


async def plans_of(tmp_path: Path, ask: Callable[[Store], Awaitable[object]]) -> str:
    """How SQLite goes about what the journal asks it."""
    asked: list[str] = []
    async with embedded(tmp_path) as store:
        await store.journal.commit([history_item(seq, x=seq % 9) for seq in range(1, 90)])
        assert isinstance(store.journal, SqliteJournal)
        await store.journal._reader.run(lambda found: found.set_trace_callback(asked.append))
        await ask(store)
    assert asked
    with closing(sqlite3.connect(tmp_path / DATABASE_NAME)) as connection:
        rows = [
            row[3] for text in asked for row in connection.execute(f"EXPLAIN QUERY PLAN {text}")
        ]
    return "\n".join(rows)


LATELY = Lookback("ts#1", "ts#9")
LOOKUPS: dict[str, tuple[Callable[[Store], Awaitable[object]], str]] = {
    "area": (
        lambda store: store.journal.within(["HISTORY"], Rectangle(1, 0, 3, 4), LATELY),
        "COVERING INDEX XOriginalIndex (PK=? AND segment=? AND x_original>? AND x_original<?)",
    ),
    "cell": (
        lambda store: store.journal.within(["HISTORY"], Rectangle(1, 0, 1, 0), LATELY),
        "COVERING INDEX XOriginalIndex (PK=? AND segment=? AND x_original=? AND y_original=? AND S",
    ),
    "user": (
        lambda store: store.journal.by_user("user-1", LATELY),
        "COVERING INDEX UserIndex (segment=? AND userId=? AND SK>? AND SK<?)",
    ),
    "all": (
        lambda store: store.journal.newest(["HISTORY", "HISTORY#s00"], LATELY),
        "PRIMARY KEY (PK=? AND SK>? AND SK<?)",
    ),
}


@pytest.mark.parametrize("kind", LOOKUPS)
async def test_lookups_seek_and_never_scan_the_history(tmp_path: Path, kind: str) -> None:
    ask, sought = LOOKUPS[kind]
    plan = await plans_of(tmp_path, ask)
    assert f"SEARCH history USING {sought}" in plan
    assert not re.search(r"SCAN history\b", plan)
