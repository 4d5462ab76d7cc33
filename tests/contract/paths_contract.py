"""Access paths of the main table's families, as docs/reference/access-paths.md tells them.

A part of the contract of tables_contract.py.
"""

import pytest

from persistence.errors import ConditionFailed
from persistence.ports import Condition, Delete, Item, Key, Page, Put, Store, Update
from persistence.tables import MAIN

NEW = Condition(exists=False)
LOCK_MS = 60_000


def row(partition: str, sort: str, **attributes: object) -> Item:
    return {"pk": partition, "sk": sort, **attributes}


def sorts(page: Page) -> list[str]:
    return [item["sk"] for item in page.items]


class PathsContract:
    async def test_path_a_game_is_listed_until_it_ends(self, store: Store) -> None:
        tables = store.tables
        games = ["chess#0#g1", "place#0#main", "place#0#other", "place#1#old", "placebo#0#g2"]
        await tables.put_many(MAIN, [row("GAME", sort, state="whole") for sort in games])
        assert sorts(await tables.query(MAIN, "GAME", prefix="place#0#")) == games[1:3]
        await tables.transact(
            [
                Delete(MAIN, Key("GAME", "place#0#main"), Condition(exists=True)),
                Put(MAIN, row("GAME", "place#1#main", state="whole"), NEW),
                Put(MAIN, row("COMPLETEDGAMES", "1760000000000#main"), NEW),
                Update(MAIN, Key("METAGAMES#place", "COUNTS"), add={"completedgames": 1}),
            ]
        )
        assert sorts(await tables.query(MAIN, "GAME", prefix="place#0#")) == ["place#0#other"]
        ended = await tables.query(MAIN, "GAME", prefix="place#1#")
        assert sorts(ended) == ["place#1#main", "place#1#old"]

    async def test_path_what_is_newest_comes_first(self, store: Store) -> None:
        times = [f"{1_760_000_000_000 + n}#g{n}" for n in range(6)]
        await store.tables.put_many(MAIN, [row("COMPLETEDGAMES", sort) for sort in times])
        page = await store.tables.query(MAIN, "COMPLETEDGAMES", ascending=False, limit=4)
        assert sorts(page) == times[:1:-1]
        since = await store.tables.query(MAIN, "COMPLETEDGAMES", after="1760000000004")
        assert sorts(since) == times[4:]

    async def test_path_a_name_is_taken_once(self, store: Store) -> None:
        taken = Put(MAIN, row("BOTNAME", "robo", clientId="a"), NEW)
        assert await store.tables.write(taken) == taken.item
        with pytest.raises(ConditionFailed):
            await store.tables.write(Put(MAIN, row("BOTNAME", "robo", clientId="b"), NEW))

    async def test_path_a_sequence_is_raised_from_what_it_was(self, store: Store) -> None:
        key = Key("wsMeta", "presenceSeq")
        first = Update(MAIN, key, add={"seq": 1}, condition=Condition(absent=("seq",)))
        assert await store.tables.write(first) == row(*key, seq=1)
        following = Update(MAIN, key, add={"seq": 1}, condition=Condition(equals={"seq": 1}))
        assert await store.tables.write(following) == row(*key, seq=2)
        with pytest.raises(ConditionFailed):
            await store.tables.write(following)

    async def test_path_a_lock_of_a_minute_is_taken_over_after_it(self, store: Store) -> None:
        key = Key("USER", "ann")

        async def take(now_ms: int) -> bool:
            over = Condition(at_most={"dashboardMaintAt": now_ms - LOCK_MS})
            for condition in (Condition(absent=("dashboardMaintAt",)), over):
                taking = Update(MAIN, key, {"dashboardMaintAt": now_ms}, condition=condition)
                try:
                    await store.tables.write(taking)
                except ConditionFailed:
                    continue
                return True
            return False

        assert await take(1_000_000)
        assert not await take(1_000_000 + LOCK_MS - 1)
        assert await take(1_000_000 + LOCK_MS)

    async def test_path_the_last_seat_is_given_once(self, store: Store) -> None:
        key = Key("CHALLENGE", "c1")
        await store.tables.write(Put(MAIN, row(*key, openSlots=2)))
        seat = Update(
            MAIN, key, add={"openSlots": -1}, condition=Condition(at_least={"openSlots": 1})
        )
        for left in (1, 0):
            assert await store.tables.write(seat) == row(*key, openSlots=left)
        with pytest.raises(ConditionFailed):
            await store.tables.write(seat)
