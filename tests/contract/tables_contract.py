"""What every Tables must do. An adapter's test subclasses this and gives `store` and `clock`."""

import asyncio

import pytest

from persistence.errors import ConditionFailed, PermanentFault
from persistence.items import MAX_ITEM_BYTES, MAX_TRANSACTION_WRITES
from persistence.ports import Condition, Delete, Item, Key, Put, Store, Tables, Update, Write
from persistence.tables import BANS, CONFIG, MAIN, MILESTONES
from tests.contract.paths_contract import PathsContract
from tests.contract.queries_contract import QueriesContract
from tests.contract.steps_contract import StepsContract
from tests.contract.values_contract import ValuesContract
from tests.contract.wall import Wall

KEY = Key("GAME", "place#0#main")


def item(**attributes: object) -> Item:
    return {"pk": KEY.partition, "sk": KEY.sort, **attributes}


async def sorts(tables: Tables, partition: str = "P", **how: object) -> list[str]:
    """The sort keys of a query's items over all of its pages."""
    found: list[str] = []
    cursor: str | None = None
    for _ in range(100):
        page = await tables.query(MAIN, partition, cursor=cursor, **how)  # type: ignore[arg-type]
        found += [each["sk"] for each in page.items]
        cursor = page.cursor
        if cursor is None:
            return found
    raise AssertionError("the pages do not end")


async def put_sorts(tables: Tables, *names: str) -> None:
    for name in names:
        await tables.write(Put(MAIN, {"pk": "P", "sk": name}))


async def scanned(tables: Tables, limit: int) -> list[Item]:
    """All items of the main table."""
    found: list[Item] = []
    cursor: str | None = None
    for _ in range(100):
        page = await tables.scan(MAIN, limit=limit, cursor=cursor)
        assert len(page.items) <= limit
        found += page.items
        cursor = page.cursor
        if cursor is None:
            return found
    raise AssertionError("the pages do not end")


class TablesContract(ValuesContract, StepsContract, QueriesContract, PathsContract):
    async def test_gives_back_what_was_put(self, store: Store) -> None:
        whole = item(
            text="ü\0😀", number=-(2**53), real=1.5, yes=True, no=None, deep={"a": [1, {}]}
        )
        assert await store.tables.write(Put(MAIN, whole)) == whole
        assert await store.tables.get(MAIN, KEY) == whole

    async def test_knows_nothing_of_what_was_not_put(self, store: Store) -> None:
        await store.tables.write(Put(MAIN, item()))
        assert await store.tables.get(MAIN, Key("GAME", "other")) is None
        assert await store.tables.get(CONFIG, KEY) is None

    async def test_a_put_replaces_the_whole_item(self, store: Store) -> None:
        await store.tables.write(Put(MAIN, item(a=1)))
        await store.tables.write(Put(MAIN, item(b=2)))
        assert await store.tables.get(MAIN, KEY) == item(b=2)

    async def test_every_table_keeps_its_own_key_names(self, store: Store) -> None:
        ban = {"PK": "BAN#user#u", "SK": "BAN", "reason": "x"}
        milestone = {"PK": "MILESTONE", "SK": "01J", "triggerAt": 5, "fired": False}
        await store.tables.write(Put(BANS, ban))
        await store.tables.write(Put(MILESTONES, milestone))
        assert await store.tables.get(BANS, Key("BAN#user#u", "BAN")) == ban
        assert await store.tables.get(MILESTONES, Key("MILESTONE", "01J")) == milestone

    async def test_an_update_makes_changes_and_removes(self, store: Store) -> None:
        update = Update(MAIN, KEY, set={"a": 1}, add={"n": 5})
        assert await store.tables.write(update) == item(a=1, n=5)
        update = Update(MAIN, KEY, set={"b": [2]}, add={"n": -7}, remove=("a", "never"))
        assert await store.tables.write(update) == item(b=[2], n=-2)
        assert await store.tables.get(MAIN, KEY) == item(b=[2], n=-2)

    async def test_additions_at_once_all_count(self, store: Store) -> None:
        adds = [store.tables.write(Update(MAIN, KEY, add={"n": 1})) for _ in range(25)]
        results = await asyncio.gather(*adds)
        assert sorted(each["n"] for each in results if each) == list(range(1, 26))

    @pytest.mark.parametrize(
        "update",
        [
            Update(MAIN, KEY, set={"sk": "moved"}),
            Update(MAIN, KEY, remove=("pk",)),
            Update(MAIN, KEY, set={"n": 1}, add={"n": 1}),
            Update(MAIN, KEY, add={"text": 1}),
            Update(MAIN, KEY, add={"yes": 1}),
            Update(MAIN, Key("GAME", ""), set={"n": 1}),
            Update(MAIN, Key("GA\0ME", "a"), set={"n": 1}),
            Update(MAIN, KEY, set={"n": object()}),
        ],
    )
    async def test_an_impossible_update_changes_nothing(self, store: Store, update: Update) -> None:
        await store.tables.write(Put(MAIN, item(text="t", yes=True)))
        with pytest.raises(PermanentFault):
            await store.tables.write(update)
        assert await store.tables.get(MAIN, KEY) == item(text="t", yes=True)

    async def test_a_delete_removes_and_may_be_repeated(self, store: Store) -> None:
        await store.tables.write(Put(MAIN, item()))
        assert await store.tables.write(Delete(MAIN, KEY)) is None
        assert await store.tables.get(MAIN, KEY) is None
        assert await store.tables.write(Delete(MAIN, KEY)) is None

    @pytest.mark.parametrize(
        ("condition", "holds"),
        [
            (Condition(exists=True), True),
            (Condition(exists=False), False),
            (Condition(equals={"n": 1}), True),
            (Condition(equals={"n": 1, "t": "x"}), True),
            (Condition(equals={"n": 1, "t": "y"}), False),
            (Condition(equals={"n": True}), False),
            (Condition(equals={"none": None}), True),
            (Condition(equals={"gone": None}), False),
            (Condition(absent=("gone",)), True),
            (Condition(absent=("none",)), False),
            (Condition(equals={"n": 1}, absent=("t",)), False),
        ],
    )
    async def test_conditions(self, store: Store, condition: Condition, holds: bool) -> None:
        before, after = item(n=1, t="x", none=None), item(n=2)
        await store.tables.write(Put(MAIN, before))
        write = Put(MAIN, after, condition)
        if holds:
            await store.tables.write(write)
        else:
            with pytest.raises(ConditionFailed):
                await store.tables.write(write)
        assert await store.tables.get(MAIN, KEY) == (after if holds else before)

    @pytest.mark.parametrize(
        ("condition", "holds"),
        [
            (Condition(exists=False), True),
            (Condition(absent=("n",)), True),
            (Condition(exists=True), False),
            (Condition(equals={"n": 1}), False),
        ],
    )
    async def test_conditions_on_nothing(
        self, store: Store, condition: Condition, holds: bool
    ) -> None:
        for write in (Delete(MAIN, KEY, condition), Update(MAIN, KEY, condition=condition)):
            if holds:
                await store.tables.write(write)
            else:
                with pytest.raises(ConditionFailed):
                    await store.tables.write(write)

    async def test_of_rivals_with_one_condition_one_wins(self, store: Store) -> None:
        await store.tables.write(Put(MAIN, item(n=0)))
        rivals = [
            Update(MAIN, KEY, set={"n": 1, "by": who}, condition=Condition(equals={"n": 0}))
            for who in range(8)
        ]
        results = await asyncio.gather(
            *(store.tables.write(rival) for rival in rivals), return_exceptions=True
        )
        assert sum(isinstance(result, dict) for result in results) == 1
        assert sum(isinstance(result, ConditionFailed) for result in results) == 7

    async def test_a_transaction_is_all_or_nothing(self, store: Store) -> None:
        ban = Key("BAN#user#u", "BAN")
        writes: list[Write] = [Put(MAIN, item(n=1)), Update(BANS, ban, set={"reason": "x"})]
        await store.tables.transact(writes)
        assert await store.tables.get(MAIN, KEY) == item(n=1)
        assert await store.tables.get(BANS, ban) is not None
        failing = Update(MAIN, KEY, set={"n": 2}, condition=Condition(equals={"n": 5}))
        with pytest.raises(ConditionFailed):
            await store.tables.transact([Delete(BANS, ban), failing])
        assert await store.tables.get(BANS, ban) is not None

    async def test_an_item_moves_in_one_transaction(self, store: Store) -> None:
        moved = Key("GAME", "place#1#main")
        await store.tables.write(Put(MAIN, item()))
        there = Put(MAIN, {"pk": moved[0], "sk": moved[1]}, Condition(exists=False))
        await store.tables.transact([Delete(MAIN, KEY, Condition(exists=True)), there])
        assert await store.tables.get(MAIN, KEY) is None
        assert await store.tables.get(MAIN, moved) is not None

    async def test_no_transaction_writes_twice_or_without_end(self, store: Store) -> None:
        with pytest.raises(PermanentFault):
            await store.tables.transact([Put(MAIN, item()), Delete(MAIN, KEY)])
        many: list[Write] = [
            Put(MAIN, {"pk": "P", "sk": str(n)}) for n in range(MAX_TRANSACTION_WRITES + 1)
        ]
        with pytest.raises(PermanentFault):
            await store.tables.transact(many)
        assert await sorts(store.tables) == []
        await store.tables.transact([])

    async def test_too_large_an_item_is_refused(self, store: Store) -> None:
        with pytest.raises(PermanentFault):
            await store.tables.write(Put(MAIN, item(text="x" * MAX_ITEM_BYTES)))
        assert await store.tables.get(MAIN, KEY) is None

    async def test_queries_in_the_order_of_the_bytes(self, store: Store) -> None:
        names = ["A", "a", "a#1", "a#2", "b", "z", "é", "\uffee", "😀"]
        await put_sorts(store.tables, *reversed(names))
        assert await sorts(store.tables) == names
        assert await sorts(store.tables, limit=2) == names
        assert await sorts(store.tables, ascending=False, limit=2) == names[::-1]
        assert await sorts(store.tables, "Q") == []

    async def test_queries_a_range(self, store: Store) -> None:
        names = ["a", "b#1", "b#2", "b#3", "b$", "c"]
        await put_sorts(store.tables, *names)
        for limit in (1, 2, 100):
            assert await sorts(store.tables, after="b#1", limit=limit) == names[2:]
            assert await sorts(store.tables, up_to="b#2", limit=limit) == names[:3]
            assert await sorts(store.tables, prefix="b#", limit=limit) == names[1:4]
            found = await sorts(store.tables, prefix="b", after="b#1", up_to="b#3", limit=limit)
            assert found == ["b#2", "b#3"]
            downwards = await sorts(store.tables, prefix="b#", ascending=False, limit=limit)
            assert downwards == ["b#3", "b#2", "b#1"]

    async def test_expired_items_are_gone_for_everybody(self, store: Store, wall: Wall) -> None:
        now_s = wall.ms // 1000
        kept = {"pk": "P", "sk": "kept"}
        await store.tables.write(Put(MAIN, item(expiresAt=now_s + 10, n=7)))
        await store.tables.write(Put(MAIN, {"pk": "P", "sk": "goes", "expiresAt": now_s + 10}))
        await store.tables.write(Put(MAIN, kept))
        assert await sorts(store.tables) == ["goes", "kept"]
        wall.ms += 10_000
        assert await store.tables.get(MAIN, KEY) is None
        assert await sorts(store.tables) == ["kept"]
        with pytest.raises(ConditionFailed):
            await store.tables.write(Delete(MAIN, KEY, Condition(exists=True)))
        update = Update(MAIN, KEY, add={"n": 1}, condition=Condition(exists=False))
        assert await store.tables.write(update) == item(n=1)

    async def test_a_scan_gives_all_of_a_table_and_of_no_other(self, store: Store) -> None:
        wanted = [
            {"pk": partition, "sk": f"{number:02}", "text": "x" * number}
            for partition in ("A", "A!", "B")
            for number in range(1, 8)
        ]
        for each in wanted:
            await store.tables.write(Put(MAIN, each))
        await store.tables.write(Put(CONFIG, {"PK": "CONFIG", "SK": "SINGLETON"}))
        for limit in (1, 4, 21, 1000):
            found = await scanned(store.tables, limit)
            assert sorted(found, key=lambda each: (each["pk"], each["sk"])) == wanted

    async def test_a_scan_passes_over_what_has_expired(self, store: Store, wall: Wall) -> None:
        now_s = wall() // 1000
        await store.tables.write(Put(MAIN, {"pk": "A", "sk": "old", "expiresAt": now_s}))
        await store.tables.write(Put(MAIN, {"pk": "A", "sk": "new", "expiresAt": now_s + 1}))
        assert [each["sk"] for each in await scanned(store.tables, 1)] == ["new"]

    async def test_a_scan_refuses_a_cursor_of_something_else(self, store: Store) -> None:
        for cursor in ("", "A", "[1]", '["A"]', '["A", 1]', "{}"):
            with pytest.raises(PermanentFault, match=r"cursor|key"):
                await store.tables.scan(MAIN, cursor=cursor)
