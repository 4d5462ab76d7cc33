"""What every Tables must do with values: sets of strings, exact numbers, refusals by name.

A part of the contract of tables_contract.py.
"""

import asyncio
from typing import Any

import pytest

from persistence.errors import ConditionFailed, PermanentFault
from persistence.ports import Condition, Item, Key, Put, Store, Update
from persistence.tables import MAIN
from persistence.values import MAX_DEPTH

KEY = Key("wsConnections", "c1")


def item(**attributes: object) -> Item:
    return {"pk": KEY.partition, "sk": KEY.sort, **attributes}


def watching(*games: str) -> Item:
    return item(watchingGames=frozenset(games))


def nested(depth: int) -> Any:
    value: Any = 1
    for _ in range(depth):
        value = [value]
    return value


class ValuesContract:
    async def test_sets_come_back_as_sets_wherever_they_are(self, store: Store) -> None:
        whole = item(
            games=frozenset({"place#main", "", "ü😀"}),
            deep={"a": [frozenset({"x"}), {"b": frozenset({"y", "z"})}]},
            text='{"$set":["x"]}',
            **{'{"$set': 1},
        )
        assert await store.tables.write(Put(MAIN, whole)) == whole
        assert await store.tables.get(MAIN, KEY) == whole
        assert (await store.tables.query(MAIN, KEY.partition)).items == [whole]
        assert (await store.tables.scan(MAIN)).items == [whole]
        found = await store.tables.get(MAIN, KEY)
        assert found is not None
        assert isinstance(found["games"], frozenset)

    async def test_numbers_come_back_exactly(self, store: Store) -> None:
        numbers = [0, 2**53, -(2**53), 2**53 + 1, 2**64 - 1, -(2**63), 0.1, 1e-9, 1.5e300 / 1e200]
        await store.tables.write(Put(MAIN, item(numbers=numbers, empty="", none=None, maps={})))
        found = await store.tables.get(MAIN, KEY)
        assert found == item(numbers=numbers, empty="", none=None, maps={})

    @pytest.mark.parametrize(
        "value",
        [
            frozenset(),
            frozenset({1}),
            {"$set": ["x"]},
            {"a": {"$set": 1, "b": 2}},
            float("nan"),
            [float("inf")],
            1e126,
            2**64,
            b"bytes",
            {1: "x"},
            nested(MAX_DEPTH),
        ],
        ids=lambda value: f"{value!r:.30}",
    )
    async def test_what_no_store_can_hold_is_refused_by_its_name(
        self, store: Store, value: Any
    ) -> None:
        writes = [
            store.tables.write(Put(MAIN, item(attribute=value))),
            store.tables.write(Update(MAIN, KEY, set={"attribute": value})),
            store.tables.put_many(MAIN, [item(attribute=value)]),
            store.tables.transact([Put(MAIN, item(attribute=value))]),
        ]
        for write in writes:
            with pytest.raises(PermanentFault, match="attribute") as refused:
                await write
            assert refused.value.hint
        assert await store.tables.get(MAIN, KEY) is None

    async def test_members_are_added_and_taken_out(self, store: Store) -> None:
        tables = store.tables
        add = Update(MAIN, KEY, add={"watchingGames": frozenset({"a", "b"})})
        assert await tables.write(add) == watching("a", "b")
        assert await tables.write(add) == watching("a", "b")
        more = Update(MAIN, KEY, add={"watchingGames": frozenset({"b", "c"}), "n": 2})
        assert await tables.write(more) == watching("a", "b", "c") | {"n": 2}
        less = Update(MAIN, KEY, discard={"watchingGames": frozenset({"a", "never"})})
        assert await tables.write(less) == watching("b", "c") | {"n": 2}

    async def test_a_set_without_members_is_absent(self, store: Store) -> None:
        await store.tables.write(Put(MAIN, watching("a", "b")))
        last = Update(MAIN, KEY, discard={"watchingGames": frozenset({"a", "b"})})
        assert await store.tables.write(last) == item()
        assert await store.tables.write(last) == item()
        again = Condition(absent=("watchingGames",))
        await store.tables.write(Put(MAIN, watching("c"), again))

    async def test_members_added_at_once_are_all_there(self, store: Store) -> None:
        adds = [
            store.tables.write(Update(MAIN, KEY, add={"watchingGames": frozenset({f"g{n}"})}))
            for n in range(20)
        ]
        await asyncio.gather(*adds)
        found = await store.tables.get(MAIN, KEY)
        assert found == watching(*(f"g{n}" for n in range(20)))

    async def test_sets_are_compared_whatever_their_order(self, store: Store) -> None:
        await store.tables.write(Put(MAIN, watching("b", "a")))
        same = Condition(equals={"watchingGames": frozenset({"a", "b"})})
        assert await store.tables.write(Put(MAIN, watching("c"), same)) == watching("c")
        with pytest.raises(ConditionFailed):
            await store.tables.write(Put(MAIN, watching("d"), same))

    @pytest.mark.parametrize(
        "update",
        [
            Update(MAIN, KEY, add={"n": frozenset({"x"})}),
            Update(MAIN, KEY, add={"watchingGames": 1}),
            Update(MAIN, KEY, add={"none": frozenset({"x"})}),
            Update(MAIN, KEY, add={"list": frozenset({"x"})}),
            Update(MAIN, KEY, add={"new": frozenset()}),
            Update(MAIN, KEY, add={"new": 2**64}),
            Update(MAIN, KEY, discard={"n": frozenset({"x"})}),
            Update(MAIN, KEY, discard={"watchingGames": frozenset()}),
            Update(MAIN, KEY, discard={"sk": frozenset({"c1"})}),
            Update(
                MAIN,
                KEY,
                add={"watchingGames": frozenset({"x"})},
                discard={"watchingGames": frozenset({"a"})},
            ),
        ],
    )
    async def test_an_impossible_change_of_a_set_changes_nothing(
        self, store: Store, update: Update
    ) -> None:
        before = watching("a") | {"n": 1, "none": None, "list": ["x"]}
        await store.tables.write(Put(MAIN, before))
        with pytest.raises(PermanentFault):
            await store.tables.write(update)
        assert await store.tables.get(MAIN, KEY) == before
