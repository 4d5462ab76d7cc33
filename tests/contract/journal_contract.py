"""What every Journal must do. An adapter's test subclasses this and gives a fixture `store`."""

import asyncio
from typing import Any

import pytest

from persistence.errors import ConditionFailed, PermanentFault
from persistence.ports import (
    Condition,
    Item,
    Journal,
    Key,
    Lookback,
    Page,
    Put,
    Rectangle,
    Store,
    Update,
)
from persistence.tables import CONFIG, MAIN
from tests.support.stores import control_item, history_item

CONFIG_KEY = Key("CONFIG", "SINGLETON")


async def read_all(
    journal: Journal, *partitions: str, after: str = "", page: int = 5
) -> list[Item]:
    pages = [found async for found in journal.read(partitions, after=after, page=page)]
    assert all(0 < len(found) <= page for found in pages)
    return [item for found in pages for item in found]


class JournalContract:
    async def test_gives_back_what_was_committed_in_order(self, store: Store) -> None:
        items = [history_item(seq) for seq in range(1, 23)]
        await store.journal.commit(items[10:])
        await store.journal.commit(items[:10])
        assert await read_all(store.journal, "HISTORY") == items

    async def test_reads_after_a_sort_key(self, store: Store) -> None:
        items = [history_item(seq) for seq in range(1, 8)]
        await store.journal.commit(items)
        assert await read_all(store.journal, "HISTORY", after=items[2]["SK"]) == items[3:]
        assert await read_all(store.journal, "HISTORY", after=items[-1]["SK"]) == []

    async def test_counts_what_it_would_read(self, store: Store) -> None:
        items = [history_item(seq) for seq in range(1, 8)]
        await store.journal.commit([*items, history_item(1, partition="HISTORY#place#other")])
        assert await store.journal.count(["HISTORY"]) == 7
        assert await store.journal.count(["HISTORY"], after=items[4]["SK"]) == 2
        assert await store.journal.count(["HISTORY#none"]) == 0

    async def test_merges_partitions_by_sort_key(self, store: Store) -> None:
        shards = ["HISTORY", "HISTORY#s00", "HISTORY#s01"]
        items = [history_item(seq, partition=shards[seq % 3]) for seq in range(1, 40)]
        await store.journal.commit(items)
        assert await read_all(store.journal, *shards) == items
        assert await store.journal.count(shards) == len(items)

    async def test_one_sort_key_in_two_partitions_is_read_once_each(self, store: Store) -> None:
        shards = ["HISTORY#s00", "HISTORY#s01", "HISTORY#s02"]
        items = [history_item(seq, partition=shard) for seq in range(1, 6) for shard in shards]
        await store.journal.commit(items)
        for page in range(1, 5):
            assert await read_all(store.journal, *shards[::-1], page=page) == items

    async def test_no_partitions_hold_nothing(self, store: Store) -> None:
        assert await read_all(store.journal) == []
        assert await store.journal.count([]) == 0
        assert (await store.journal.within([], Rectangle(0, 0, 9, 9))).items == []

    async def test_committing_again_changes_nothing(self, store: Store) -> None:
        items = [history_item(seq, x=seq) for seq in range(1, 5)]
        await store.journal.commit(items)
        await store.journal.commit(items)
        assert await read_all(store.journal, "HISTORY") == items
        found = await store.journal.within(["HISTORY"], Rectangle(0, 0, 9, 9))
        assert found.items == items[::-1]

    async def test_nothing_may_be_committed(self, store: Store) -> None:
        await store.journal.commit([])
        assert await read_all(store.journal, "HISTORY") == []

    async def test_writes_are_in_the_same_transaction(self, store: Store) -> None:
        event = control_item(1, "resize")
        await store.journal.commit([event], [Update(CONFIG, CONFIG_KEY, set={"seq": 1})])
        config = await store.tables.get(CONFIG, CONFIG_KEY)
        assert config is not None
        assert config["seq"] == 1
        assert await read_all(store.journal, "HISTORY") == [event]

    async def test_a_failed_condition_leaves_nothing(self, store: Store) -> None:
        put = Put(CONFIG, {"PK": "CONFIG", "SK": "SINGLETON"})
        failing = Update(MAIN, Key("GAME", "a"), add={"n": 1}, condition=Condition(exists=True))
        with pytest.raises(ConditionFailed):
            await store.journal.commit([history_item(1)], [put, failing])
        assert await read_all(store.journal, "HISTORY") == []
        assert await store.tables.get(CONFIG, CONFIG_KEY) is None

    async def test_a_failing_call_does_not_fail_those_beside_it(self, store: Store) -> None:
        failing = Update(MAIN, Key("GAME", "a"), add={"n": 1}, condition=Condition(exists=True))
        commits = [
            store.journal.commit([history_item(seq)], [failing] if seq == 3 else [])
            for seq in range(1, 7)
        ]
        results = await asyncio.gather(*commits, return_exceptions=True)
        assert [type(result) for result in results].count(ConditionFailed) == 1
        seqs = [item["seq"] for item in await read_all(store.journal, "HISTORY")]
        assert seqs == [1, 2, 4, 5, 6]

    async def test_what_is_no_item_is_refused_and_nothing_kept(self, store: Store) -> None:
        for bad in ({"PK": "HISTORY"}, {"PK": "", "SK": "a"}, {"PK": 1, "SK": "a"}):
            with pytest.raises(PermanentFault):
                await store.journal.commit([history_item(1), bad])
        with pytest.raises(PermanentFault):
            await store.journal.commit([history_item(1), {"PK": "P", "SK": "S", "x": object()}])
        assert await read_all(store.journal, "HISTORY") == []

    async def test_deletes_by_key(self, store: Store) -> None:
        items = [history_item(seq, x=1) for seq in range(1, 6)]
        await store.journal.commit(items)
        gone = [Key(item["PK"], item["SK"]) for item in items[3:]]
        await store.journal.delete(gone)
        await store.journal.delete([*gone, Key("HISTORY", "never there")])
        assert await read_all(store.journal, "HISTORY") == items[:3]
        found = await store.journal.within(["HISTORY"], Rectangle(1, 0, 1, 0))
        assert found.items == items[2::-1]

    async def test_an_area_is_newest_first_and_includes_its_sides(self, store: Store) -> None:
        items = [history_item(seq, x=seq % 5 - 2, y=seq % 3 - 1) for seq in range(1, 31)]
        await store.journal.commit([*items, control_item(31, "settings")])
        area = Rectangle(-1, -1, 1, 0)
        inside = [i for i in items if -1 <= i["x_original"] <= 1 and -1 <= i["y_original"] <= 0]
        found = await store.journal.within(["HISTORY"], area)
        assert found.items == inside[::-1]

    async def test_a_cell_is_paged_to_its_end(self, store: Store) -> None:
        shards = ["HISTORY", "HISTORY#s00"]
        items = [history_item(seq, partition=shards[seq % 2], x=3, y=4) for seq in range(1, 12)]
        others = [history_item(seq, x=3, y=5) for seq in range(20, 25)]
        await store.journal.commit(items + others)
        pages = await pages_within(store.journal, shards, Rectangle(3, 4, 3, 4), limit=4)
        assert [item for page in pages for item in page.items] == items[::-1]

    async def test_one_sort_key_in_two_partitions_is_found_once_each(self, store: Store) -> None:
        shards = ["HISTORY#s00", "HISTORY#s01", "HISTORY#s02"]
        items = [history_item(seq, partition=shard) for seq in range(1, 4) for shard in shards]
        await store.journal.commit(items)
        for limit in range(1, 5):
            pages = await pages_within(store.journal, shards, Rectangle(0, 0, 0, 0), limit=limit)
            assert [item for page in pages for item in page.items] == items[::-1]

    async def test_another_games_placements_are_not_in_an_area(self, store: Store) -> None:
        mine = history_item(1, partition="HISTORY#place#mine")
        await store.journal.commit([mine, history_item(1), history_item(2)])
        found = await store.journal.within(["HISTORY#place#mine"], Rectangle(0, 0, 0, 0))
        assert found.items == [mine]

    async def test_a_user_is_followed_over_all_games(self, store: Store) -> None:
        games = ["HISTORY", "HISTORY#place#b"]
        items = [history_item(seq, partition=game) for seq in range(1, 30) for game in games]
        await store.journal.commit(items)
        mine = [item for item in items if item["userId"] == "user-3"]
        found: list[Item] = []
        page = await store.journal.by_user("user-3", Lookback(limit=3))
        found += page.items
        for _ in mine:
            if page.cursor is None:
                break
            page = await store.journal.by_user("user-3", Lookback(limit=3, cursor=page.cursor))
            found += page.items
        assert [item["seq"] for item in found] == [item["seq"] for item in mine[::-1]]
        assert {(item["PK"], item["SK"]) for item in found} == {(i["PK"], i["SK"]) for i in mine}

    async def test_an_unknown_user_placed_nothing(self, store: Store) -> None:
        await store.journal.commit([history_item(1), control_item(2, "fill")])
        assert (await store.journal.by_user("nobody")).items == []

    async def test_reading_and_counting_end_at_a_sort_key(self, store: Store) -> None:
        shards = ["HISTORY", "HISTORY#s00"]
        items = [history_item(seq, partition=shards[seq % 2]) for seq in range(1, 30)]
        await store.journal.commit(items)
        after, up_to = items[4]["SK"], items[20]["SK"]
        pages = [
            page async for page in store.journal.read(shards, after=after, up_to=up_to, page=3)
        ]
        assert [item for page in pages for item in page] == items[5:21]
        assert await store.journal.count(shards, after=after, up_to=up_to) == 16
        assert await store.journal.count(shards, up_to="ts#0") == 0

    @pytest.mark.parametrize("limit", [1, 2, 3, 100])
    @pytest.mark.parametrize("kind", ["area", "user", "all"])
    async def test_time_bounds_hold_on_every_page(
        self, store: Store, kind: str, limit: int
    ) -> None:
        items = [
            history_item(seq, partition=SHARDS[seq % 2], x=seq % 4, y=seq % 3)
            for seq in range(1, 60)
        ]
        await store.journal.commit(items)
        inside = [i for i in items[10:50] if wanted(kind, i)][::-1]
        bounds = {"after": items[9]["SK"], "up_to": items[49]["SK"]}
        assert await looked_up(store.journal, kind, limit, **bounds) == inside
        assert await looked_up(store.journal, kind, limit, **bounds | {"up_to": "ts#0"}) == []

    async def test_late_items_are_where_they_belong(self, store: Store) -> None:
        items = [history_item(seq, partition=SHARDS[seq % 2], x=1) for seq in range(1, 41)]
        for item in (*items[20:], *items[:10], *items[30:], *items[10:20]):
            await store.journal.commit([item])
        for kind in ("area", "user", "all"):
            expected = [item for item in items if wanted(kind, item)][::-1]
            for limit in (1, 3, 100):
                assert await looked_up(store.journal, kind, limit) == expected

    async def test_all_of_a_game_is_newest_first_with_its_control_events(
        self, store: Store
    ) -> None:
        items = [history_item(1), control_item(2, "settings"), history_item(3)]
        await store.journal.commit([*items, history_item(9, partition="HISTORY#place#other")])
        assert (await store.journal.newest(["HISTORY"])).items == items[::-1]
        assert (await store.journal.newest([])).items == []
        page = await store.journal.newest(["HISTORY"], Lookback(limit=2))
        assert page.items == items[:0:-1]
        await store.journal.commit([history_item(4)])
        rest = await store.journal.newest(["HISTORY"], Lookback(limit=2, cursor=page.cursor))
        assert rest.items == items[:1]
        assert rest.cursor is None

    @pytest.mark.parametrize("cursor", ["", "x", "[]", "7", "null", '{"a":1}'])
    async def test_a_foreign_cursor_is_refused(self, store: Store, cursor: str) -> None:
        for kind in ("area", "user", "all"):
            with pytest.raises(PermanentFault):
                await page_of(store.journal, kind, cursor=cursor)


SHARDS = ["HISTORY", "HISTORY#s00"]
AREA = Rectangle(1, 0, 2, 1)


def wanted(kind: str, item: Item) -> bool:
    """Whether a lookup of `page_of` is after an item."""
    inside = 1 <= item["x_original"] <= 2 and 0 <= item["y_original"] <= 1
    kinds: dict[str, bool] = {"area": inside, "user": item["userId"] == "user-2", "all": True}
    return kinds[kind]


async def page_of(journal: Journal, kind: str, **bounds: Any) -> Page:
    match kind:
        case "area":
            return await journal.within(SHARDS, AREA, Lookback(**bounds))
        case "user":
            return await journal.by_user("user-2", Lookback(**bounds))
        case _:
            return await journal.newest(SHARDS, Lookback(**bounds))


async def looked_up(journal: Journal, kind: str, limit: int, **bounds: str) -> list[Item]:
    """All pages of a lookup, each within its limit, and no more of them than it takes."""
    pages = [await page_of(journal, kind, limit=limit, **bounds)]
    while (cursor := pages[-1].cursor) is not None and len(pages) < 200:
        pages.append(await page_of(journal, kind, limit=limit, cursor=cursor, **bounds))
    assert pages[-1].cursor is None
    assert all(len(page.items) <= limit for page in pages)
    return [item for page in pages for item in page.items]


async def pages_within(
    journal: Journal, partitions: list[str], area: Rectangle, limit: int
) -> list[Page]:
    pages = [await journal.within(partitions, area, Lookback(limit=limit))]
    while (cursor := pages[-1].cursor) is not None and len(pages) < 100:
        pages.append(await journal.within(partitions, area, Lookback(limit=limit, cursor=cursor)))
    return pages
