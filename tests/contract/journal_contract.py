"""What every Journal must do. An adapter's test subclasses this and gives a fixture `store`."""

import asyncio

import pytest

from persistence.errors import ConditionFailed, PermanentFault
from persistence.ports import Condition, Item, Journal, Key, Page, Put, Rectangle, Store, Update
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
        page = await store.journal.by_user("user-3", limit=3)
        found += page.items
        for _ in mine:
            if page.cursor is None:
                break
            page = await store.journal.by_user("user-3", limit=3, cursor=page.cursor)
            found += page.items
        assert [item["seq"] for item in found] == [item["seq"] for item in mine[::-1]]
        assert {(item["PK"], item["SK"]) for item in found} == {(i["PK"], i["SK"]) for i in mine}

    async def test_an_unknown_user_placed_nothing(self, store: Store) -> None:
        await store.journal.commit([history_item(1), control_item(2, "fill")])
        assert (await store.journal.by_user("nobody")).items == []


async def pages_within(
    journal: Journal, partitions: list[str], area: Rectangle, limit: int
) -> list[Page]:
    pages = [await journal.within(partitions, area, limit=limit)]
    while (cursor := pages[-1].cursor) is not None and len(pages) < 100:
        pages.append(await journal.within(partitions, area, limit=limit, cursor=cursor))
    return pages
