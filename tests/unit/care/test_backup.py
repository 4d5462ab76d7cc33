"""A backup is of one moment, whatever the server does meanwhile, and starts as the store did."""

import pytest

from persistence.errors import StoreDamaged, TransientFault
from persistence.ports import Key, Put, Store, Update
from persistence.tables import BANS, CONFIG, MAIN
from server.care.backup import Backup, differences, moments
from server.care.check.store import Report, check_store
from server.game.config import key_of
from server.recovery.unfinished import Mark
from tests.support.disturbing import disturbed
from tests.support.games import NAME
from tests.support.lived import ROWS, lived, paint
from tests.support.memory_store import MemoryBlobs, open_memory
from tests.support.runs import Lives, Run


async def back_up(source: Store, steps: list[str] | None = None) -> tuple[Store, Report]:
    target = open_memory()

    def advance(step: str, done: int, total: int) -> None:
        assert done <= total
        if steps is not None:
            steps.append(step)

    games = await moments(source, advance)
    await Backup(source, target, advance).write(games)
    report = await check_store(target, None, advance)
    assert differences(games, report) == []
    return target, report


async def rows_of(store: Store) -> list[dict[str, object]]:
    return [row async for page in store.journal.read(["HISTORY"]) for row in page]


def blobs_of(store: Store) -> MemoryBlobs:
    assert isinstance(store.blobs, MemoryBlobs)
    return store.blobs


async def comes_back(store: Store, run: Run) -> None:
    again = await Lives(store).start()
    assert again.game.replica.crc32() == run.game.replica.crc32()
    assert again.game.replica.epoch == run.game.replica.epoch
    await again.die()


async def test_it_holds_what_the_store_holds() -> None:
    source, steps = open_memory(), list[str]()
    run = await lived(source)
    target, report = await back_up(source, steps)
    assert report.findings == []
    assert await rows_of(target) == await rows_of(source)
    assert blobs_of(target).blobs == blobs_of(source).blobs
    key = key_of(NAME)
    assert await target.tables.get(CONFIG, key) == await source.tables.get(CONFIG, key)
    assert set(steps) >= {"Reading the board", "Copying history", "Copying snapshots"}
    await comes_back(target, run)
    await run.die()


@pytest.mark.parametrize("operation", ["tables.query", "journal.count", "journal.read"])
async def test_what_comes_meanwhile_is_another_moment(operation: str) -> None:
    source = open_memory()
    run = await lived(source)

    async def meanwhile() -> None:
        await paint(run, 3)
        await run.snapshot()

    target, report = await back_up(disturbed(source, operation, meanwhile, times=9))
    assert report.findings == []
    seq = report.games[0].seq
    assert ROWS <= seq < run.game.replica.seq
    assert [row["seq"] for row in await rows_of(target)] == list(range(1, seq + 1))
    await run.die()


async def test_a_growth_meanwhile_is_in_it_or_not_but_never_half() -> None:
    source = open_memory()
    run = await lived(source)

    async def meanwhile() -> None:
        run.game.resize("right", 1)
        await run.publish()

    _, report = await back_up(disturbed(source, "tables.get", meanwhile, times=3))
    assert report.findings == []
    with pytest.raises(TransientFault, match="changed each time"):
        await back_up(disturbed(source, "tables.get", meanwhile, times=99))
    await run.die()


async def test_what_no_reader_takes_is_left_out() -> None:
    source = open_memory()
    run = await lived(source)
    rows = await rows_of(source)
    late = {**rows[-1], "seq": 65, "fence": 1, "SK": "ts#1900000000000#0000000000000065-1"}
    await source.journal.commit([late])
    target, report = await back_up(source)
    assert report.findings == []
    assert await rows_of(target) == rows
    await run.die()


async def test_the_fence_of_its_first_server_is_above_all() -> None:
    source = open_memory()
    run = await lived(source)
    await source.tables.write(Update(MAIN, Key("LEASE", "embedded"), set={"fence": 41}))
    target, _ = await back_up(source)
    assert await target.lease.acquire() > 41
    await run.die()


async def test_items_of_other_tables_go_along_but_for_what_is_of_a_process_alone() -> None:
    source = open_memory()
    run = await lived(source)
    ban = {"PK": "BAN#user#x", "SK": "BAN", "reason": "", "bannedAt": 1}
    await source.tables.write(Put(BANS, ban))
    own = [("wsConnections", "c1"), ("LEASE", "x")]
    for pk, sk in [*own, ("BOT", "b1")]:
        await source.tables.write(Put(MAIN, {"pk": pk, "sk": sk, "fence": 1, "userId": "u"}))
    target, report = await back_up(source)
    assert report.findings == []
    assert await target.tables.get(BANS, Key("BAN#user#x", "BAN")) == ban
    assert await target.tables.get(MAIN, Key("BOT", "b1")) is not None
    assert [await target.tables.get(MAIN, Key(*key)) for key in own] == [None, None]
    await run.die()


async def test_an_unfinished_copy_is_not_backed_up() -> None:
    source = open_memory()
    await source.tables.write(Mark("elsewhere", {NAME: "e1"}, "e2").put())
    with pytest.raises(StoreDamaged, match="unfinished copy"):
        await back_up(source)


async def test_damage_goes_along_and_is_told() -> None:
    source = open_memory()
    run = await lived(source)
    (key,) = [key for key in blobs_of(source).blobs if "/base/" in key]
    await source.blobs.delete(key)
    _, report = await back_up(source)
    assert [finding.place for finding in report.findings] == [key]
    await run.die()


async def test_a_store_whose_board_cannot_be_read_is_not_backed_up() -> None:
    source = open_memory()
    run = await lived(source)
    rows = await rows_of(source)
    await source.journal.delete(
        [Key("HISTORY", str(rows[-1]["SK"])), Key("HISTORY", str(rows[50]["SK"]))]
    )
    with pytest.raises(StoreDamaged, match="hole after seq 50"):
        await back_up(source)
    await run.die()
