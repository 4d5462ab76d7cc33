"""A board whose number of history shards changes between its lives is read from all of them."""

from tests.support.memory_store import open_memory
from tests.support.runs import Lives, same_board


async def test_shards_may_change_between_lives() -> None:
    lives = Lives(open_memory())
    run = await lives.start()
    await run.place(1, 1, 3)
    await run.die()
    for number, shards in enumerate((4, 2, 1, None), start=2):
        run = await lives.start(history_shards=shards)
        assert run.game.replica.seq == 2 * number - 3
        await run.place(number, 1, number)
        await run.place(number, 2, number)
        await run.die()
    again = await lives.start()
    same_board(run, again)
    expected = ["HISTORY", *(f"HISTORY#s{number:02d}" for number in range(4))]
    assert list(again.game.partitions) == expected
    rows = [item async for page in lives.store.journal.read(again.game.partitions) for item in page]
    assert [row["seq"] for row in rows] == list(range(1, 10))
    assert {row["PK"] for row in rows[1:5]} <= set(expected[1:])
    assert {row["PK"] for row in rows[5:]} == {"HISTORY"}
    await again.die()


async def test_a_board_keeps_its_shards_unless_told_otherwise() -> None:
    lives = Lives(open_memory())
    run = await lives.start(history_shards=3)
    await run.die()
    run = await lives.start()
    placed = [await run.place(x, 0, 1) for x in range(6)]
    assert len(placed) == 6
    assert await lives.store.journal.count(["HISTORY#s00", "HISTORY#s01", "HISTORY#s02"]) == 6
    await run.die()
