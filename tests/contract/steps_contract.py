"""What every Tables must do with bounds of numbers, checks in transactions, and many items at once.

A part of the contract of tables_contract.py.
"""

import asyncio

import pytest

from persistence.errors import ConditionFailed, PermanentFault
from persistence.items import MAX_TRANSACTION_WRITES
from persistence.ports import Check, Condition, Delete, Item, Key, Put, Step, Store, Tables, Update
from persistence.tables import BANS, MAIN
from tests.contract.wall import Wall

KEY = Key("wsConnections", "c1")


def item(**attributes: object) -> Item:
    return {"pk": KEY.partition, "sk": KEY.sort, **attributes}


async def left(tables: Tables) -> list[Item]:
    """The items of the partition that the tests fill."""
    return (await tables.query(MAIN, "P")).items


class StepsContract:
    @pytest.mark.parametrize(
        ("condition", "holds"),
        [
            (Condition(at_least={"n": 5}), True),
            (Condition(at_least={"n": 5.5}), False),
            (Condition(at_most={"n": 5}), True),
            (Condition(at_most={"n": 4.99}), False),
            (Condition(at_least={"n": -1}, at_most={"n": 9}), True),
            (Condition(at_least={"gone": 0}), False),
            (Condition(at_most={"gone": 0}), False),
            (Condition(at_least={"text": 0}), False),
            (Condition(at_most={"text": 0}), False),
            (Condition(at_most={"yes": 1}), False),
            (Condition(at_least={"n": 5}, equals={"text": "no"}), False),
        ],
    )
    async def test_bounds_of_numbers(self, store: Store, condition: Condition, holds: bool) -> None:
        await store.tables.write(Put(MAIN, item(n=5, text="7", yes=True)))
        update = Update(MAIN, KEY, add={"n": 1}, condition=condition)
        if holds:
            assert await store.tables.write(update) == item(n=6, text="7", yes=True)
        else:
            with pytest.raises(ConditionFailed):
                await store.tables.write(update)

    async def test_bounds_hold_for_nothing_never(self, store: Store, wall: Wall) -> None:
        await store.tables.write(Put(MAIN, item(n=5, expiresAt=wall() // 1000)))
        for condition in (Condition(at_least={"n": 0}), Condition(at_most={"n": 9})):
            with pytest.raises(ConditionFailed):
                await store.tables.write(Delete(MAIN, KEY, condition))

    async def test_a_counter_stops_at_its_bound(self, store: Store) -> None:
        below = Condition(at_most={"n": 4})
        await store.tables.write(Put(MAIN, item(n=0)))
        adds = [
            store.tables.write(Update(MAIN, KEY, add={"n": 1}, condition=below)) for _ in range(9)
        ]
        results = await asyncio.gather(*adds, return_exceptions=True)
        assert sum(isinstance(result, ConditionFailed) for result in results) == 4
        assert await store.tables.get(MAIN, KEY) == item(n=5)

    async def test_a_transaction_checks_what_it_leaves_alone(self, store: Store) -> None:
        other = Key("GAME", "place#0#main")
        await store.tables.write(Put(MAIN, item(version=3)))
        put = Put(MAIN, {"pk": other.partition, "sk": other.sort})
        with pytest.raises(ConditionFailed):
            await store.tables.transact([put, Check(MAIN, KEY, Condition(equals={"version": 4}))])
        assert await store.tables.get(MAIN, other) is None
        await store.tables.transact([put, Check(MAIN, KEY, Condition(at_least={"version": 3}))])
        assert await store.tables.get(MAIN, other) is not None
        assert await store.tables.get(MAIN, KEY) == item(version=3)
        with pytest.raises(PermanentFault):
            await store.tables.transact(
                [Put(MAIN, item()), Check(MAIN, KEY, Condition(exists=True))]
            )

    async def test_a_check_takes_what_has_expired_for_absent(
        self, store: Store, wall: Wall
    ) -> None:
        await store.tables.write(Put(MAIN, item(expiresAt=wall() // 1000)))
        put = Put(BANS, {"PK": "BAN#user#u", "SK": "BAN"})
        with pytest.raises(ConditionFailed):
            await store.tables.transact([put, Check(MAIN, KEY, Condition(exists=True))])
        await store.tables.transact([put, Check(MAIN, KEY, Condition(exists=False))])

    async def test_a_hundred_parts_make_one_transaction(self, store: Store) -> None:
        steps: list[Step] = [
            Put(MAIN, {"pk": "P", "sk": f"{n:03}"}) for n in range(MAX_TRANSACTION_WRITES - 1)
        ]
        steps.append(Check(MAIN, KEY, Condition(exists=True)))
        with pytest.raises(ConditionFailed):
            await store.tables.transact(steps)
        assert await left(store.tables) == []
        await store.tables.write(Put(MAIN, item()))
        await store.tables.transact(steps)
        assert len(await left(store.tables)) == MAX_TRANSACTION_WRITES - 1

    async def test_many_are_put_read_and_removed(self, store: Store) -> None:
        tables = store.tables
        items = [{"pk": "P", "sk": f"{n:03}", "n": n} for n in range(130)]
        keys = [Key("P", f"{n:03}") for n in range(130)]
        await tables.put_many(MAIN, items)
        assert await tables.get_many(MAIN, keys) == items
        mixed = [keys[5], Key("P", "none"), keys[0], keys[5]]
        assert await tables.get_many(MAIN, mixed) == [items[5], None, items[0], items[5]]
        await tables.delete_many(MAIN, [*keys[1:], Key("P", "none"), keys[1]])
        assert await left(tables) == items[:1]

    async def test_nothing_is_many_too(self, store: Store) -> None:
        await store.tables.put_many(MAIN, [])
        await store.tables.delete_many(MAIN, [])
        assert await store.tables.get_many(MAIN, []) == []

    async def test_of_many_with_one_key_the_last_counts(self, store: Store) -> None:
        await store.tables.put_many(MAIN, [item(n=1), item(n=2), item(n=3)])
        assert await store.tables.get(MAIN, KEY) == item(n=3)

    async def test_many_are_checked_before_one_is_written(self, store: Store) -> None:
        for bad in ({"pk": "P"}, {"pk": "P", "sk": "b", "x": object()}):
            with pytest.raises(PermanentFault):
                await store.tables.put_many(MAIN, [{"pk": "P", "sk": "a"}, bad])
        with pytest.raises(PermanentFault):
            await store.tables.delete_many(MAIN, [Key("P", "")])
        with pytest.raises(PermanentFault):
            await store.tables.get_many(MAIN, [Key("", "a")])
        assert await left(store.tables) == []

    async def test_of_many_the_expired_are_absent(self, store: Store, wall: Wall) -> None:
        await store.tables.put_many(MAIN, [item(expiresAt=wall() // 1000)])
        assert await store.tables.get_many(MAIN, [KEY]) == [None]

    async def test_an_end_that_is_no_number_is_no_end(self, store: Store) -> None:
        await store.tables.write(Put(MAIN, item(expiresAt="soon")))
        assert await store.tables.get(MAIN, KEY) == item(expiresAt="soon")
        assert (await store.tables.scan(MAIN)).items == [item(expiresAt="soon")]
