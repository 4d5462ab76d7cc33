"""A check finds each kind of damage, names it, and finds nothing where nothing is wrong."""

from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from dataclasses import replace
from typing import Any

import orjson
import pytest

from persistence.errors import StoreDamaged
from persistence.faulty import Faults, faulty
from persistence.ports import Blob, Item, Key, Put, Store, Table, Update
from persistence.tables import BANS, CONFIG, MAIN, MILESTONES
from server.care.check.findings import MAX_TOLD, Finding, Severity
from server.care.check.store import Report, check_store
from server.game.config import key_of
from server.recovery.stored_snapshot import archive_key, newest_key, side_key
from server.recovery.unfinished import Mark
from tests.support.games import NAME
from tests.support.lived import ROWS, lived
from tests.support.memory_store import MemoryBlobs, open_memory

CONFIG_KEY = key_of(NAME)


@pytest.fixture
async def store() -> AsyncIterator[Store]:
    store = open_memory()
    run = await lived(store)
    yield store
    await run.die()


async def check(store: Store) -> Report:
    told: list[tuple[str, int, int]] = []
    report = await check_store(store, None, lambda *step: told.append(step))
    assert all(done <= total for _, done, total in told)
    return report


async def rows_of(store: Store) -> list[Item]:
    return [row async for page in store.journal.read(["HISTORY"]) for row in page]


async def row_of(store: Store, seq: int) -> Item:
    (row,) = [row for row in await rows_of(store) if row["seq"] == seq]
    return row


def blobs_of(store: Store) -> dict[str, Blob]:
    assert isinstance(store.blobs, MemoryBlobs)
    return store.blobs.blobs


def only(report: Report) -> Finding:
    (finding,) = report.findings
    return finding


# --- sound --------------------------------------------------------------------------------------


async def test_a_sound_store_has_no_findings(store: Store) -> None:
    report = await check(store)
    assert report.findings == []
    told = report.to_json()
    assert told["games"][0].pop("crc32") is not None
    assert told == {
        "sound": True,
        "damages": 0,
        "games": [
            {"game": NAME, "seq": ROWS, "width": 24, "height": 10, "snapshots": 3, "pictures": 1}
        ],
        "findings": [],
    }


async def test_nothing_is_written(store: Store) -> None:
    before = (dict(store.tables.rows), dict(blobs_of(store)))  # type: ignore[attr-defined]
    await check(store)
    assert (store.tables.rows, blobs_of(store)) == before  # type: ignore[attr-defined]


async def test_an_empty_store_is_sound() -> None:
    report = await check(open_memory())
    assert (report.games, report.findings) == ([], [])


# --- rows ---------------------------------------------------------------------------------------

Harm = Callable[[Store], Awaitable[None]]


def without(*seqs: int) -> Harm:
    async def harm(store: Store) -> None:
        rows = [row for row in await rows_of(store) if row["seq"] in seqs]
        await store.journal.delete([Key(row["PK"], row["SK"]) for row in rows])

    return harm


def with_row(seq: int, /, **changes: Any) -> Harm:
    async def harm(store: Store) -> None:
        row = {**await row_of(store, seq), **changes}
        await store.journal.commit([{k: v for k, v in row.items() if v is not None}])

    return harm


def with_config(**changes: Any) -> Harm:
    async def harm(store: Store) -> None:
        await store.tables.write(Update(CONFIG, CONFIG_KEY, set=changes))

    return harm


def with_added(**changes: Any) -> Harm:
    async def harm(store: Store) -> None:
        row = await row_of(store, 5)
        await store.journal.commit([{**row, **changes}])

    return harm


def with_blob(key: str, change: Callable[[Blob], Blob | None]) -> Harm:
    async def harm(store: Store) -> None:
        changed = change(blobs_of(store).pop(key))
        if changed is not None:
            blobs_of(store)[key] = changed

    return harm


def flipped(blob: Blob) -> Blob:
    return replace(blob, data=bytes([blob.data[0] ^ 0xFF]) + blob.data[1:])


def told_of(**metadata: str) -> Callable[[Blob], Blob]:
    return lambda blob: replace(blob, metadata={**blob.metadata, **metadata})


def base_key(store: Store) -> str:
    (key,) = [key for key in blobs_of(store) if "/base/" in key]
    return key


async def without_picture(store: Store) -> None:
    del blobs_of(store)[base_key(store)]


async def with_junk_picture(store: Store) -> None:
    key = base_key(store)
    blobs_of(store)[key] = Blob(b"junk", blobs_of(store)[key].metadata)


async def without_config(store: Store) -> None:
    store.tables.rows.pop(("config", CONFIG_KEY))  # type: ignore[attr-defined]


async def with_other_fence(store: Store) -> None:
    row = await row_of(store, 30)
    await store.journal.delete([Key(row["PK"], row["SK"])])
    await store.journal.commit([{**row, "fence": 3, "SK": f"{row['SK'][:-1]}3"}])


SORT = "ts#1700000000040#0000000000000005-1"
DAMAGES: dict[str, tuple[Harm, Sequence[str]]] = {
    "a row before the newest snapshot is gone": (without(10), ["seq 10 is missing"]),
    "rows are gone": (without(10, 11, 12), ["seqs 10 to 12 are missing"]),
    "two holes": (without(10, 30), ["seq 10 is missing", "seq 30 is missing"]),
    "the beginning is gone": (without(1, 2), ["seqs 1 to 2 are missing"]),
    "the row of a snapshot is gone": (without(20), ["seq 20 is missing"]),
    "a growth is gone": (without(21), ["seq 21 is missing"]),
    "the end that was published is gone": (
        without(*range(40, ROWS + 1)),
        ["seq 44 was published", "rows are missing"],
    ),
    "no color": (with_row(10, colorIndex=None), ["it has no colorIndex"]),
    "a color too many": (with_row(10, colorIndex=16), ["its colorIndex is 16"]),
    "another color": (with_row(10, colorIndex=3), ["its board is not the one"]),
    "another previous": (with_row(10, previous=3), ["was color 3, and it was 15"]),
    "a text for a number": (with_row(10, x_original="4"), ["should be of type int"]),
    "a truth for a number": (with_row(10, x_original=True), ["should be of type int"]),
    "off the board": (with_row(10, x_original=20), ["it lies at (20, 9)"]),
    "of another offset": (with_row(30, offset_x=0, x_original=1), ["with offset (0, 0)"]),
    "a kind of a later version": (with_row(21, kind="cells"), ["a newer Tesserae"]),
    "a growth that shrinks": (with_row(21, width=4, label="x"), ["a board only ever grows"]),
    "a resize without a size": (with_row(21, width=None), ["it has no width"]),
    "a key of another seq": (with_row(10, seq=11), ["its key does not tell its seq 11"]),
    "no seq": (with_row(10, seq=None), ["it has no seq"]),
    "a row twice": (with_added(SK=SORT.replace("40#", "45#")), ["seq 5 is there again"]),
    "a fence that goes back": (
        with_other_fence,
        ["is lower than 3"],
    ),
    "no config": (without_config, [f"it is missing, and there are {ROWS} rows"]),
    "a config without a width": (with_config(width="x"), ["cannot be read"]),
    "a config of another size": (
        with_config(width=20, growths=[[0, 20, 10, 0, 0]], generation=0),
        ["its growths lead to"],
    ),
    "a config with other settings": (with_config(locked=True), ["its locked is not what"]),
    "a config with another offset": (with_config(globalOffsetX=3), ["its globalOffsetX is 3"]),
    "a config ahead of history": (with_config(seq=ROWS + 1), [f"seq {ROWS + 1} was published"]),
    "writers that go back": (
        with_config(writers={"1": 44, "0": 45}),
        ["writer 0 got to seq 45, and 1 after it only to 44"],
    ),
    "the newest snapshot is spoilt": (with_blob(newest_key(NAME), flipped), ["crc32"]),
    "an archive is spoilt": (with_blob(archive_key(NAME, 20), flipped), ["crc32"]),
    "a snapshot of another seq": (
        with_blob(archive_key(NAME, 20), told_of(seq="19")),
        ["it goes on after"],
    ),
    "a snapshot of the future": (
        with_blob(archive_key(NAME, 20), told_of(seq="1000")),
        [f"it is of seq 1000, and history ends at {ROWS}"],
    ),
    "a snapshot of another size": (
        with_blob(archive_key(NAME, 20), told_of(width="10", height="20")),
        ["at seq 20 the board was"],
    ),
    "a snapshot without a seq": (
        with_blob(newest_key(NAME), lambda blob: replace(blob, metadata={})),
        ["is damaged: 'crc32'"],
    ),
    "a side blob is no JSON": (
        with_blob(side_key(NAME, 20), lambda blob: replace(blob, data=b"{")),
        ["cannot be read"],
    ),
    "a picture is gone": (without_picture, ["is missing"]),
    "a picture is spoilt": (with_junk_picture, ["is damaged"]),
}


@pytest.mark.parametrize("name", DAMAGES)
async def test_damage_is_found_and_named(store: Store, name: str) -> None:
    harm, words = DAMAGES[name]
    await harm(store)
    report = await check(store)
    assert report.damages
    told = "\n".join(f"{finding.place}: {finding.what}" for finding in report.findings)
    assert [word for word in words if word not in told] == [], told
    assert {finding.severity for finding in report.findings} == {Severity.DAMAGE}
    assert all("`" in finding.remedy or "remove" in finding.remedy for finding in report.findings)


EXACT = (
    "a growth is gone",
    "a row before the newest snapshot is gone",
    "another previous",
    "no color",
    "a row twice",
    "a picture is gone",
    "a config with other settings",
    "the newest snapshot is spoilt",
)


@pytest.mark.parametrize("name", EXACT)
async def test_one_fault_is_told_once(store: Store, name: str) -> None:
    harm, _ = DAMAGES[name]
    await harm(store)
    assert only(await check(store)).severity is Severity.DAMAGE


async def test_behind_a_hole_the_next_snapshot_lets_the_rest_be_followed(store: Store) -> None:
    await without(10)(store)
    await with_row(50, previous=13)(store)
    await with_row(15, previous=13)(store)
    told = [finding.what for finding in (await check(store)).findings]
    assert len(told) == 2
    assert "was color 13" in told[0]
    assert "seq 10 is missing" in told[1]


async def test_many_faults_of_a_kind_are_counted(store: Store) -> None:
    for seq in range(1, 20):
        await with_row(seq, costMs=None)(store)
    report = await check(store)
    assert report.damages == 19
    assert len(report.findings) == MAX_TOLD + 1
    assert report.findings[-1].what == f"{19 - MAX_TOLD} more of this kind"


# --- other tables -------------------------------------------------------------------------------

ULID = "01HZX3Y5V9K2M4N6P8Q0R1S2T3"
MILESTONE = {
    "PK": "MILESTONE",
    "SK": ULID,
    "triggerAt": 1_700_000_000,
    "direction": "expand",
    "amount": 8,
    "fired": False,
}
BAN = {"PK": "BAN#ip#2001:db8::/64", "SK": "BAN", "reason": "bots", "bannedAt": 1_700_000_000}
ITEMS: dict[str, tuple[Table, Item, str]] = {
    "a ban": (BANS, BAN, ""),
    "a ban of a user with an end": (BANS, {**BAN, "PK": "BAN#user#u#1", "expiresAt": 1.5}, ""),
    "a ban of no address": (BANS, {**BAN, "PK": "BAN#ip#nobody"}, "it bans no address"),
    "a ban with a text for an end": (BANS, {**BAN, "expiresAt": "soon"}, "its expiresAt is 'soon'"),
    "a ban without a reason": (BANS, {**BAN, "reason": None}, "its reason is None"),
    "an unknown ban": (BANS, {**BAN, "SK": "WARNING"}, "no such item"),
    "a milestone": (MILESTONES, {**MILESTONE, "PK": "MILESTONE#place#two"}, ""),
    "a milestone to nowhere": (MILESTONES, {**MILESTONE, "direction": "in"}, "its direction is"),
    "a milestone that shrinks": (MILESTONES, {**MILESTONE, "amount": -1}, "never shrinks"),
    "a milestone that may have fired": (MILESTONES, {**MILESTONE, "fired": "no"}, "its fired is"),
    "a milestone of another key": (MILESTONES, {**MILESTONE, "SK": "1"}, "no ULID"),
    "a lease": (MAIN, {"pk": "LEASE", "sk": "embedded", "fence": 7}, ""),
    "a lease without a fence": (MAIN, {"pk": "LEASE", "sk": "x"}, "it has no fence"),
    "an item of another program": (MAIN, {"pk": "RATINGS#go", "sk": "u"}, "no such item"),
    "a config of another program": (CONFIG, {"PK": "OTHER", "SK": "x"}, "no such item"),
}


@pytest.mark.parametrize("name", ITEMS)
async def test_items_of_other_tables_are_known(store: Store, name: str) -> None:
    table, item, words = ITEMS[name]
    await store.tables.write(Put(table, item))
    report = await check(store)
    assert [words in finding.what for finding in report.findings] == ([True] if words else [])
    assert bool(report.damages) == (bool(words) and words != "no such item")


@pytest.mark.parametrize(
    ("operation", "place"), [("tables.scan", "config"), ("journal.read", NAME)]
)
async def test_what_a_store_cannot_read_is_a_finding(
    store: Store, operation: str, place: str
) -> None:
    script = Faults()
    script.fail(operation, StoreDamaged("no JSON", "mend it with `x`"), times=1)
    finding = only(await check(faulty(store, script)))
    assert (finding.place, finding.what, finding.remedy) == (place, "no JSON", "mend it with `x`")


async def test_an_unfinished_copy_is_told(store: Store) -> None:
    await store.tables.write(Mark("elsewhere", {NAME: "e1"}, "e2").put())
    finding = only(await check(store))
    assert "unfinished copy of elsewhere" in finding.what
    assert "store copy" in finding.remedy


# --- harmless -----------------------------------------------------------------------------------


async def test_what_lies_behind_a_hole_at_the_end_is_harmless_where_order_is_none(
    store: Store,
) -> None:
    await without(60)(store)
    assert "seq 60 is missing" in only(await check(store)).what
    report = await check(replace(store, ordered=False))
    assert only(report).severity is Severity.HARMLESS
    assert "rows up to seq 64 lie behind a hole after seq 59" in only(report).what
    assert report.games[0].seq == 59


async def test_a_hole_before_a_control_event_is_damage_on_every_store(store: Store) -> None:
    for blob in (newest_key(NAME), archive_key(NAME, 44), side_key(NAME, 44)):
        del blobs_of(store)[blob]
    await with_config(seq=0, writers={})(store)
    await without(30)(store)
    report = await check(replace(store, ordered=False))
    assert "seq 30 is missing" in only(report).what
    assert only(report).severity is Severity.DAMAGE


async def test_stragglers_of_a_former_writer_are_harmless(store: Store) -> None:
    row = await row_of(store, 64)
    late = {**row, "seq": 65, "fence": 1, "SK": "ts#1900000000000#0000000000000065-1"}
    await store.journal.commit([late])
    finding = only(await check(store))
    assert (finding.severity, finding.what[:6]) == (Severity.HARMLESS, "1 rows")


async def test_what_nothing_speaks_of_is_harmless(store: Store) -> None:
    await store.blobs.put("canvas/base/alone.bin", b"x", {})
    await store.blobs.put(side_key(NAME, 7), orjson.dumps({"seq": 7}), {"seq": "7"})
    del blobs_of(store)[side_key(NAME, 44)]
    report = await check(store)
    assert not report.damages
    assert len(report.findings) == 3


async def test_snapshots_of_a_former_epoch_are_nobodys(store: Store) -> None:
    await with_blob(archive_key(NAME, 20), told_of(epoch="before", seq="1000"))(store)
    await with_blob(archive_key(NAME, 44), told_of(epoch="before", lastSk="ts#1#"))(store)
    report = await check(store)
    assert {finding.severity for finding in report.findings} == {Severity.HARMLESS}
    assert all("former epoch" in finding.what for finding in report.findings)


async def test_an_unknown_game_is_not_looked_for_elsewhere(store: Store) -> None:
    report = await check_store(store, "place#other", lambda *_: None)
    assert (report.games, report.findings) == ([], [])
