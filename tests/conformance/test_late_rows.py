"""Rows that nobody was ever told of, on a store that keeps no order: no reader counts them.

They lie behind a hole when a writer dies in the middle of a batch, and they arrive late when a
frozen one thaws, with the numbers that its successor has given to others by then.
"""

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import orjson
import pytest

from persistence.errors import PermanentFault
from persistence.faulty import Faults, faulty
from persistence.ports import Item, Store
from server.care.backup import Backup, moments
from server.care.check.store import check_store
from server.care.copy.plan import read_games
from server.cli import history_reading
from server.cli.history_reading import Wish, write_history
from server.config import Settings
from server.recovery.past import read_past, seq_at
from server.recovery.present import read_present
from server.recovery.reader import RecoveryEvents
from tests.support.aws import AwsStage
from tests.support.games import NAME
from tests.support.memory_store import open_memory
from tests.support.runs import Lives, Run, same_board
from tests.support.serving import BOARD, serving

SILENT = RecoveryEvents(lambda *_: None, lambda _: None)
PUBLISHED = 10
LIVES = 9
"""More than the fences that were given without a lease."""
MUCH_LATER_MS = 2 * 10**12
Told = list[tuple[int, str, int]]
"""Seq, user and color of placements."""
Opened = Callable[[], AbstractAsyncContextManager[Store]]


@pytest.fixture(params=["memory", "aws"])
def opened(request: pytest.FixtureRequest) -> Opened:
    """A store that keeps no order, each in turn."""
    if request.param == "aws":
        stage: AwsStage = request.getfixturevalue("aws_stage")
        return stage.writing
    store = replace(open_memory(), ordered=False)

    @asynccontextmanager
    async def again() -> AsyncIterator[Store]:
        yield store

    return again


# --- readers -------------------------------------------------------------------------------------


def told(rows: list[Item]) -> Told:
    return [(row["seq"], row["userId"], row["colorIndex"]) for row in rows]


async def by_export(store: Store, path: Path, monkeypatch: pytest.MonkeyPatch) -> Told:
    @asynccontextmanager
    async def opened(*_: Any, **__: Any) -> AsyncIterator[Store]:
        yield store

    monkeypatch.setattr(history_reading, "opened", opened)
    wish = Wish(NAME, "jsonl", str(path), True, None, None, None, None, None)
    await write_history(Settings(), wish)
    entries = map(orjson.loads, (await asyncio.to_thread(path.read_bytes)).splitlines())
    return [(entry["seq"], entry["by"], entry["color"]) for entry in entries]


async def by_backup(store: Store) -> Told:
    target = open_memory()
    await Backup(store, target, _deaf).write(await moments(store, _deaf))
    return told([row async for page in target.journal.read(["HISTORY"]) for row in page])


async def by_copy(store: Store) -> Told:
    (game,) = await read_games(store, SILENT)
    rows: list[Item] = []
    for history in game.histories():
        async for page in store.journal.read([history.partition]):
            rows += [row for row in page if history.counts(row)]
    return told(rows)


async def by_server(store: Store) -> Told:
    """What a server tells over HTTP: a history, and who placed at each of its cells."""
    await store.lease.acquire(above=LIVES)
    await store.lease.release()
    async with serving(store=store) as room:
        newest_first = orjson.loads((await room.get(f"{BOARD}/history?limit=1000")).body)["entries"]
        for entry in newest_first:
            cell = f"{BOARD}/pixel?x={entry['x']}&y={entry['y']}"
            pixel = orjson.loads((await room.get(cell)).body)
            assert (pixel["by"], pixel["color"]) == (entry["by"], entry["color"])
    return [(entry["seq"], entry["by"], entry["color"]) for entry in newest_first[::-1]]


async def boards(store: Store) -> set[tuple[int, int | None]]:
    """Seq and checksum of the board as each reader of boards sees it."""
    present = await read_present(store, NAME, SILENT)
    assert present is not None
    replica = present.outcome.replica
    newest = await seq_at(store, present.config, MUCH_LATER_MS, replica.seq)
    past = (await read_past(store, present.config, newest, SILENT)).replica
    report = await check_store(store, NAME, _deaf)
    assert report.damages == 0, report.findings
    (checked,) = report.games
    return {
        (replica.seq, replica.crc32()),
        (past.seq, past.crc32()),
        (checked.seq, checked.crc32 or replica.crc32()),  # none where rows lie behind a hole
    }


def _deaf(*_: object) -> None:
    """Hear nothing."""


# --- what was published, and what was not ------------------------------------------------------


async def died_in_a_batch(store: Store) -> tuple[Run, list[Item]]:
    """Let a writer die: it published ten; 11 and 14 never arrived, 12 and 13 did.

    Gives its rows from 11 on, too.
    """
    faults = Faults()
    run = await Lives(faulty(store, faults)).start()
    for seq in range(1, PUBLISHED + 1):
        await run.place(seq, seq % 3, seq, user="told")
        run.clock.advance(10)
    (page,) = [page async for page in store.journal.read(["HISTORY"])]
    rows = [lost(page[-1], PUBLISHED + n) for n in range(1, 5)]
    await store.journal.commit(rows[1:3])
    await run.die()
    return run, rows


def lost(like: Item, seq: int) -> Item:
    """A row of the dead writer's last batch."""
    key = f"{like['SK'].rpartition('#')[0]}#{seq:016d}-{like['fence']}"
    return {**like, "SK": key, "seq": seq, "userId": "lost", "x_original": seq, "colorIndex": 1}


async def test_behind_a_hole_nobody_sees_anything(
    opened: Opened, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with opened() as store:
        run, _ = await died_in_a_batch(store)
        expected = [(seq, "told", seq) for seq in range(1, PUBLISHED + 1)]
        assert await by_export(store, tmp_path / "all", monkeypatch) == expected
        assert await by_backup(store) == expected
        assert await by_copy(store) == expected
        assert await boards(store) == {(PUBLISHED, run.game.replica.crc32())}
        assert await by_server(store) == expected
        assert await store.journal.count(["HISTORY"]) == PUBLISHED, "they are gone by now"


async def test_what_arrives_late_is_dropped_by_every_reader(
    opened: Opened, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with opened() as store:
        run, late = await died_in_a_batch(store)
        lives = Lives(store, run.clock)
        lives.fence = 1
        taker = await lives.start()
        for number in range(3):
            await taker.place(5, 5 + number, 7, user="taker")
        await store.journal.commit(late)
        expected = [(seq, "told", seq) for seq in range(1, PUBLISHED + 1)]
        expected += [(PUBLISHED + number, "taker", 7) for number in range(1, 4)]
        for _ in range(2):
            assert await by_export(store, tmp_path / "all", monkeypatch) == expected
            assert await by_backup(store) == expected
            assert await by_copy(store) == expected
            assert await boards(store) == {(PUBLISHED + 3, taker.game.replica.crc32())}
            await taker.snapshot()
        await taker.die()
        again = await lives.start()
        same_board(taker, again)
        await again.die()
        assert await by_server(store) == expected


@pytest.mark.parametrize("operation", ["journal.delete", "tables.write"])
@pytest.mark.parametrize("answer_lost", [False, True], ids=["before", "after"])
async def test_a_start_that_dies_while_it_clears_up_is_done_again(
    opened: Opened, operation: str, *, answer_lost: bool
) -> None:
    async with opened() as store:
        run, late = await died_in_a_batch(store)
        faults = Faults()
        faults.fail(operation, PermanentFault("killed"), answer_lost=answer_lost)
        dying, lives = Lives(faulty(store, faults), run.clock), Lives(store, run.clock)
        dying.fence = 1
        with pytest.raises(PermanentFault, match="killed"):
            await dying.start()
        lives.fence = 2
        taker = await lives.start()
        same_board(run, taker)
        await taker.place(5, 5, 7, user="taker")
        await store.journal.commit(late)
        await taker.die()
        again = await lives.start()
        same_board(taker, again)
        await again.die()
