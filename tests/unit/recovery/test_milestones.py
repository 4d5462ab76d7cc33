"""Due milestones are found in the order of their time, each game's own, the fired ones left out."""

from persistence.ports import Item, Store
from persistence.tables import MILESTONES
from server.game.milestones import due

OTHER = "place#other"


def milestone(sort: str, at_s: float, *, fired: bool = False, game: str = "") -> Item:
    partition = f"MILESTONE#{game}" if game else "MILESTONE"
    return {"PK": partition, "SK": sort, "triggerAt": at_s, "direction": "left", "fired": fired}


async def test_the_earliest_come_first_and_none_too_early(store: Store) -> None:
    await store.tables.put_many(
        MILESTONES,
        [
            milestone("A", 300),
            milestone("B", 100),
            milestone("C", 200, fired=True),
            milestone("D", 301),
            milestone("E", 50, game=OTHER),
        ],
    )
    assert [item["SK"] for item in await due(store.tables, "place#main", 300)] == ["B", "A"]
    assert [item["SK"] for item in await due(store.tables, OTHER, 300)] == ["E"]
    assert await due(store.tables, "place#main", 99) == []


async def test_no_more_are_given_than_are_asked_for(store: Store) -> None:
    items = [milestone(f"{n:03}", n, fired=n % 3 > 0) for n in range(90)]
    await store.tables.put_many(MILESTONES, items)
    found = await due(store.tables, "place#main", 1000, limit=4)
    assert [item["triggerAt"] for item in found] == [0, 3, 6, 9]
    assert len(await due(store.tables, "place#main", 1000)) == 30
