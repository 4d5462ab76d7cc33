"""A history over several partitions, whose number changes between runs: it is found as one.

On every store, over HTTP, after growth on all sides and under a wall clock that jumps.
"""

from collections.abc import Callable
from typing import Any
from urllib.parse import urlencode

import orjson

from persistence.ports import Store
from server.game.history import at_ms_of_key
from tests.support.clock import FakeClock
from tests.support.foreign import GAME
from tests.support.homes import Home
from tests.support.serving import BOARD, Serving, serving

HOUR_MS = 3_600_000
SHARDS = (1, 3, 2, 1)
"""Of the runs."""
USERS = ("ann", "bob")
PLACED = 8
"""In each run."""
PAGE = 5
Entry = dict[str, Any]


async def asked(room: Serving, **query: Any) -> list[Entry]:
    """All entries of a query, page by page."""
    found: list[Entry] = []
    cursor: dict[str, str] = {}
    for _ in range(100):
        words = urlencode({**query, "limit": PAGE, **cursor})
        answer = await room.get(f"{BOARD}/history?{words}")
        assert answer.status == 200, answer.body
        page = orjson.loads(answer.body)
        found += page["entries"]
        if "cursor" not in page:
            return found
        cursor = {"cursor": page["cursor"]}
    raise AssertionError("it never ends")


async def painted(room: Serving, clock: FakeClock, first: int) -> None:
    """Place as two users, in a part of the board as it was founded."""
    left = room.game.replica.lineage.geometry.offset_x
    for number in range(first, first + PLACED):
        async with room.dial() as client:
            await client.play(token=room.token(USERS[number % 2]))
            (ack,) = await client.put((left + number % 4, 2 + number % 3, number % 15))
            assert ack.status == 0
        clock.advance(1000)


async def lived(home: Home, clock: FakeClock) -> None:
    """Paint in runs with other numbers of shards; grow between them, and let the clock jump."""
    for run, shards in enumerate(SHARDS):
        async with (
            home.opened() as store,
            serving(store=store, clock=clock, history_shards=shards) as room,
        ):
            await painted(room, clock, run * PLACED)
            room.game.resize(("left", "up", "right", "expand")[run], 3)
            await room.published()
        clock.jump_wall(HOUR_MS if run % 2 == 0 else -2 * HOUR_MS)


async def rows(store: Store, partitions: tuple[str, ...]) -> list[Entry]:
    return [row async for page in store.journal.read(partitions) for row in page]


async def test_it_is_asked_by_area_user_and_time_over_all_shards(home: Home) -> None:
    clock = FakeClock()
    await lived(home, clock)
    async with home.opened() as store, serving(store=store, clock=clock) as room:
        partitions = room.game.partitions
        assert partitions == ("HISTORY", "HISTORY#s00", "HISTORY#s01", "HISTORY#s02")
        stored = await rows(store, partitions)
        placed = [row for row in stored if "x_original" in row][::-1]
        assert len(placed) == len(SHARDS) * PLACED
        geometry = room.game.replica.lineage.geometry
        assert (geometry.offset_x, geometry.offset_y) == (6, 6)

        def expected(wanted: Callable[[Entry], bool]) -> list[int]:
            return [row["seq"] for row in placed if wanted(row)]

        def seqs(entries: list[Entry]) -> list[int]:
            assert all(entry["original"] == [entry["x"] - 6, entry["y"] - 6] for entry in entries)
            return [entry["seq"] for entry in entries]

        assert seqs(await asked(room)) == expected(lambda _: True)
        area = {"x1": 7, "y1": 8, "x2": 8, "y2": 9}
        inside = expected(lambda row: row["x_original"] in {1, 2} and row["y_original"] in {2, 3})
        assert seqs(await asked(room, **area)) == inside
        ann = expected(lambda row: row["userId"] == "ann")
        assert seqs(await asked(room, user="ann")) == ann
        assert seqs(await asked(room, user="ann", **area)) == [seq for seq in inside if seq in ann]
        since, until = (at_ms_of_key(placed[place]["SK"]) for place in (20, 6))
        times = {"since": since, "until": until}
        assert seqs(await asked(room, **times)) == expected(
            lambda row: since <= at_ms_of_key(row["SK"]) <= until
        )
        newest = placed[0]
        pixel = f"x={newest['x_original'] + 6}&y={newest['y_original'] + 6}"
        found = orjson.loads((await room.get(f"{BOARD}/pixel?{pixel}")).body)
        assert (found["by"], found["at"]) == (newest["userId"], at_ms_of_key(newest["SK"]))


async def test_keys_never_go_back_over_shards_writers_and_jumps(home: Home) -> None:
    clock = FakeClock()
    await lived(home, clock)
    async with home.opened() as store, serving(store=store, clock=clock) as room:
        stored = await rows(store, room.game.partitions)
        assert [row["seq"] for row in stored] == list(range(1, room.game.replica.seq + 1))
        keys = [row["SK"] for row in stored]
        assert keys == sorted(keys)
        fences = [row["fence"] for row in stored]
        assert fences == sorted(fences)
        assert len(set(fences)) == len(SHARDS)
        async with room.dial() as client:
            await client.play()
            assert (await client.ask("checksum", game=GAME))["seq"] == len(stored)
            assert await client.in_step_by_checksum()
