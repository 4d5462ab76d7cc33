"""A state read beside a running game: of one moment, whatever that game does meanwhile."""

from dataclasses import replace

import pytest

from persistence.errors import StoreDamaged, TransientFault
from persistence.ports import Key, Store
from server.recovery.present import Present, read_present
from server.recovery.reader import RecoveryEvents
from tests.support.disturbing import disturbed
from tests.support.games import NAME
from tests.support.memory_store import MemoryBlobs
from tests.support.runs import Lives, Run


class Beside:
    """Reads a game and keeps what it is told."""

    def __init__(self) -> None:
        self.damages: list[StoreDamaged] = []
        self.progress: list[tuple[int, int]] = []

    async def read(self, store: Store) -> Present:
        listener = RecoveryEvents(
            lambda done, total: self.progress.append((done, total)), self.damages.append
        )
        present = await read_present(store, NAME, listener)
        assert present is not None
        return present


def is_of(present: Present, run: Run) -> bool:
    """Whether it is what the game has published."""
    read, replica = present.outcome.replica, run.game.replica
    return (read.seq, read.crc32(), read.settings, read.lineage.geometry) == (
        replica.seq,
        replica.crc32(),
        replica.settings,
        replica.lineage.geometry,
    )


async def painted(lives: Lives) -> Run:
    run = await lives.start()
    for seq in range(20):
        await run.place(seq, seq % 10, seq % 15)
        lives.clock.advance(10)
    await run.snapshot()
    for seq in range(20):
        await run.place(seq, 9 - seq % 10, 3)
        lives.clock.advance(10)
    return run


async def test_a_game_is_read_from_its_snapshot_and_what_came_after(store: Store) -> None:
    run = await painted(Lives(store))
    beside = Beside()
    assert is_of(await beside.read(store), run)
    done, total = beside.progress[-1]
    assert done == total < 40
    await run.die()


async def test_there_is_nothing_to_read_of_an_unknown_game(store: Store) -> None:
    listener = RecoveryEvents(lambda *_: None, lambda _: None)
    assert await read_present(store, "place#other", listener) is None


@pytest.mark.parametrize("operation", ["tables.get", "blobs.list", "blobs.get", "journal.read"])
async def test_a_snapshot_is_stored_while_it_is_read(store: Store, operation: str) -> None:
    run = await painted(Lives(store))

    async def meanwhile() -> None:
        await run.place(1, 1, 1)
        await run.snapshot()

    beside = Beside()
    present = await beside.read(disturbed(store, operation, meanwhile))
    assert is_of(present, run)
    assert beside.damages == []
    await run.die()


@pytest.mark.parametrize("operation", ["tables.get", "blobs.list", "blobs.get", "journal.read"])
async def test_a_board_grows_and_is_stored_while_it_is_read(store: Store, operation: str) -> None:
    run = await painted(Lives(store))

    async def meanwhile() -> None:
        run.game.resize("left", 4)
        run.game.change({"locked": True})
        await run.publish()
        await run.snapshot()

    beside = Beside()
    present = await beside.read(disturbed(store, operation, meanwhile))
    assert is_of(present, run)
    assert present.config.lineage.geometry == run.game.replica.lineage.geometry
    assert beside.damages == []
    await run.die()


async def test_a_board_that_never_stands_still_is_said_to(store: Store) -> None:
    run = await painted(Lives(store))

    async def meanwhile() -> None:
        run.game.resize("right", 1)
        await run.publish()

    with pytest.raises(TransientFault, match="changed each time"):
        await Beside().read(disturbed(store, "journal.count", meanwhile, times=99))
    await run.die()


async def test_a_damaged_snapshot_is_told_once_and_passed_over(store: Store) -> None:
    run = await painted(Lives(store))
    assert isinstance(store.blobs, MemoryBlobs)
    blobs = store.blobs.blobs
    blobs["canvas/canvas.bin"] = replace(blobs["canvas/canvas.bin"], data=b"\0")
    beside = Beside()
    assert is_of(await beside.read(store), run)
    assert len(beside.damages) == 1
    await run.die()


async def test_a_lost_end_is_damage_here_too(store: Store) -> None:
    run = await painted(Lives(store))
    await run.snapshot()
    pages = [page async for page in store.journal.read(["HISTORY"], page=100)]
    await run.die()
    await store.journal.delete([Key(item["PK"], item["SK"]) for item in pages[0][-3:]])
    with pytest.raises(StoreDamaged):
        await Beside().read(store)


async def test_a_server_that_takes_over_meanwhile_decides_which_rows_count(store: Store) -> None:
    """What the one before it sends late has the numbers that its own rows have."""
    lives = Lives(store)
    run = await painted(lives)
    await run.die()
    (page,) = [page async for page in store.journal.read(["HISTORY"], page=100)]
    late = {**page[-1], "SK": page[-1]["SK"] + "0", "seq": 41, "colorIndex": 9}
    runs: list[Run] = []

    async def meanwhile() -> None:
        runs.append(await lives.start())
        lives.clock.advance(10)
        await runs[0].place(3, 3, 3)
        await store.journal.commit([late])

    present = await Beside().read(disturbed(store, "journal.read", meanwhile))
    assert is_of(present, runs[0])
    await runs[0].die()
