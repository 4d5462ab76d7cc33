"""What every Tables must do with filters and indexes.

A part of the contract of tables_contract.py.
"""

from typing import Any

import pytest

from persistence.errors import PermanentFault
from persistence.items import LAST_CHAR
from persistence.ports import Condition, Item, Key, Page, Put, Store, Tables, Update
from persistence.tables import HISTORY, MAIN, MILESTONES
from tests.support.stores import control_item, history_item

(TRIGGER,) = MILESTONES.indexes
BY_X, BY_USER = HISTORY.indexes


def milestone(sort: str, at_s: Any, **attributes: object) -> Item:
    return {"PK": "MILESTONE", "SK": sort, "triggerAt": at_s, "fired": False, **attributes}


async def ask(tables: Tables, cursor: str | None, index: Any, **how: Any) -> Page:
    """One page of an index, or without one of the table's own partition."""
    if index is None:
        return await tables.query(MAIN, "P", cursor=cursor, **how)
    table = MILESTONES if index is TRIGGER else HISTORY
    partition = how.pop("partition", "MILESTONE")
    return await tables.by_index(table, index, partition, cursor=cursor, **how)


async def asked(tables: Tables, index: Any = None, **how: Any) -> list[Item]:
    """All items over all pages."""
    found: list[Item] = []
    cursor: str | None = None
    for _ in range(200):
        page = await ask(tables, cursor, index, **how)
        assert len(page.items) <= how.get("limit", 1000)
        found += page.items
        cursor = page.cursor
        if cursor is None:
            return found
    raise AssertionError("the pages do not end")


def sorts(items: list[Item]) -> list[str]:
    return [each.get("SK") or each["sk"] for each in items]


class QueriesContract:
    @pytest.mark.parametrize("ascending", [True, False])
    async def test_pages_go_on_although_what_they_gave_is_removed(
        self, store: Store, ascending: bool
    ) -> None:
        rows: list[Item] = [{"pk": "P", "sk": f"{n:03}"} for n in range(25)]
        await store.tables.put_many(MAIN, rows)
        found: list[str] = []
        cursor: str | None = None
        while True:
            page = await store.tables.query(MAIN, "P", ascending=ascending, limit=4, cursor=cursor)
            found += sorts(page.items)
            await store.tables.delete_many(MAIN, [Key("P", sort) for sort in sorts(page.items)])
            cursor = page.cursor
            if cursor is None:
                break
        assert found == sorted((row["sk"] for row in rows), reverse=not ascending)

    async def test_a_query_gives_what_passes_a_filter(self, store: Store) -> None:
        await store.tables.put_many(
            MAIN,
            [
                {
                    "pk": "P",
                    "sk": f"{n:03}",
                    "n": n,
                    "even": n % 2 == 0,
                    **({"odd": 1} if n % 2 else {}),
                }
                for n in range(60)
            ],
        )
        where = Condition(equals={"even": True}, at_least={"n": 10}, at_most={"n": 20})
        wanted = [f"{n:03}" for n in range(10, 21, 2)]
        for limit in (1, 2, 6, 1000):
            assert sorts(await asked(store.tables, where=where, limit=limit)) == wanted
            down = await asked(store.tables, where=where, limit=limit, ascending=False)
            assert sorts(down) == wanted[::-1]
        late = await asked(store.tables, where=Condition(absent=("odd",)), after="056")
        assert sorts(late) == ["058"]

    async def test_a_filter_names_no_keys(self, store: Store) -> None:
        for where in (
            Condition(exists=True),
            Condition(equals={"sk": "a"}),
            Condition(absent=("pk",)),
        ):
            with pytest.raises(PermanentFault, match="filter"):
                await store.tables.query(MAIN, "P", where=where)
        where = Condition(at_most={"triggerAt": 5})
        with pytest.raises(PermanentFault, match="filter"):
            await store.tables.by_index(MILESTONES, TRIGGER, "MILESTONE", where=where)

    async def test_an_index_gives_its_own_order(self, store: Store) -> None:
        await store.tables.put_many(
            MILESTONES,
            [
                milestone("D", 30),
                milestone("C", 5),
                milestone("B", 100),
                milestone("A", -7.5),
                milestone("E", 31, fired=True),
                {"PK": "MILESTONE", "SK": "F", "fired": False},
                milestone("G", 1) | {"PK": "MILESTONE#place#other"},
            ],
        )
        where = Condition(equals={"fired": False})
        for limit in (1, 2, 5, 1000):
            found = await asked(store.tables, TRIGGER, limit=limit)
            assert sorts(found) == ["A", "C", "D", "E", "B"]
            down = await asked(store.tables, TRIGGER, limit=limit, ascending=False)
            assert sorts(down) == ["B", "E", "D", "C", "A"]
            due = await asked(store.tables, TRIGGER, limit=limit, at_most=31)
            assert sorts(due) == ["A", "C", "D", "E"]
            between = await asked(store.tables, TRIGGER, limit=limit, at_least=5, at_most=30)
            assert sorts(between) == ["C", "D"]
            unfired = await asked(
                store.tables,
                TRIGGER,
                limit=limit,
                at_least=5,
                where=where,
            )
            assert sorts(unfired) == ["C", "D", "B"]
        assert found[0] == milestone("A", -7.5)
        assert await asked(store.tables, TRIGGER, at_least=6, at_most=5) == []
        assert await asked(store.tables, TRIGGER, partition="") == []

    async def test_an_index_follows_what_is_changed(self, store: Store) -> None:
        key = Key("MILESTONE", "A")
        await store.tables.write(Put(MILESTONES, milestone("A", 5)))
        await store.tables.write(Update(MILESTONES, key, set={"triggerAt": 50}))
        assert await asked(store.tables, TRIGGER, at_most=49) == []
        assert sorts(await asked(store.tables, TRIGGER, at_least=50)) == ["A"]
        await store.tables.write(Update(MILESTONES, key, add={"triggerAt": 1}))
        assert await asked(store.tables, TRIGGER, at_most=50) == []
        await store.tables.write(Update(MILESTONES, key, remove=("triggerAt",)))
        assert await asked(store.tables, TRIGGER) == []
        assert await store.tables.get(MILESTONES, key) is not None

    async def test_items_of_one_place_are_all_given_once(self, store: Store) -> None:
        names = [f"{n:02}" for n in range(23)]
        await store.tables.put_many(MILESTONES, [milestone(name, 5) for name in names])
        for limit in (1, 7, 23):
            for ascending in (True, False):
                found = await asked(store.tables, TRIGGER, limit=limit, ascending=ascending)
                assert sorted(sorts(found)) == names

    async def test_an_index_gives_what_it_projects(self, store: Store) -> None:
        await store.journal.commit([history_item(seq, x=seq, y=-seq) for seq in range(1, 30)])
        await store.journal.commit([control_item(30, "fill")])
        found = await asked(store.tables, BY_X, partition="HISTORY", at_least=5, at_most=7)
        assert [each["x_original"] for each in found] == [5, 6, 7]
        assert set(found[0]) == {"PK", "SK", "x_original", *(BY_X.include or ())}
        inside = Condition(at_least={"y_original": -6}, at_most={"y_original": -6})
        found = await asked(store.tables, BY_X, partition="HISTORY", at_most=99, where=inside)
        assert [each["x_original"] for each in found] == [6]
        mine = await asked(store.tables, BY_USER, partition="user-3", limit=2)
        assert [each["seq"] for each in mine] == [3, 10, 17, 24]
        assert "colorIndex" in mine[0]
        assert "costMs" not in mine[0]
        late = await asked(store.tables, BY_USER, partition="user-3", at_least=mine[2]["SK"])
        assert late == mine[2:]
        start = mine[0]["SK"][:8]
        begins = await asked(
            store.tables, BY_USER, partition="user-3", at_least=start, at_most=start + LAST_CHAR
        )
        assert begins == mine

    @pytest.mark.parametrize("at_s", ["soon", True, None, [1], {"a": 1}])
    async def test_what_an_index_cannot_order_is_refused(self, store: Store, at_s: Any) -> None:
        await store.tables.write(Put(MILESTONES, milestone("A", 5)))
        writes = [
            store.tables.write(Put(MILESTONES, milestone("B", at_s))),
            store.tables.put_many(MILESTONES, [milestone("B", at_s)]),
            store.tables.write(Update(MILESTONES, Key("MILESTONE", "A"), set={"triggerAt": at_s})),
            store.tables.transact([Put(MILESTONES, milestone("B", at_s))]),
        ]
        for write in writes:
            with pytest.raises(PermanentFault, match="triggerAt"):
                await write
        assert sorts(await asked(store.tables, TRIGGER)) == ["A"]

    async def test_an_index_refuses_bounds_and_cursors_of_something_else(
        self, store: Store
    ) -> None:
        tables = store.tables
        for how in ({"at_least": "5"}, {"at_most": "x"}, {"at_least": True}):
            with pytest.raises(PermanentFault, match="bound"):
                await asked(tables, TRIGGER, **how)
        with pytest.raises(PermanentFault, match="bound"):
            await asked(tables, BY_USER, partition="u", at_most=5)
        for cursor in (
            "",
            "x",
            "5",
            "[]",
            '["5","a","b"]',
            "[true,1,2]",
            '[5,"a",7]',
            '[5,"a",""]',
        ):
            with pytest.raises(PermanentFault, match=r"cursor|key"):
                await tables.by_index(MILESTONES, TRIGGER, "MILESTONE", cursor=cursor)
