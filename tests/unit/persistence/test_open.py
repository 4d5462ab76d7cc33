"""Opening the embedded store: new, old, damaged, foreign, beside a server."""

import os
import sqlite3
import stat
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest

from persistence.embedded.store import DATABASE_NAME
from persistence.errors import PermanentFault, StoreDamaged
from persistence.ports import Key, Put, Rectangle
from persistence.sqlite.faults import translated
from persistence.tables import CONFIG
from tests.support.stores import beside, embedded, history_item

ITEM = {"PK": "CONFIG", "SK": "SINGLETON", "seq": 1}
KEY = Key("CONFIG", "SINGLETON")


async def filled(data_dir: Path, items: int = 400) -> Path:
    """A store with something in it, closed; returns the path of its database."""
    async with embedded(data_dir) as store:
        await store.journal.commit([history_item(seq, x=seq) for seq in range(1, items + 1)])
        await store.tables.write(Put(CONFIG, ITEM))
    return data_dir / DATABASE_NAME


def contents(data_dir: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in data_dir.iterdir() if path.name != "lock"}


@pytest.mark.skipif(os.name != "posix", reason="modes are POSIX")
async def test_a_new_directory_is_for_its_owner_alone(tmp_path: Path) -> None:
    await filled(tmp_path / "data", items=1)
    assert stat.S_IMODE((tmp_path / "data").stat().st_mode) == 0o700


async def test_what_was_stored_is_there_when_it_is_opened_again(tmp_path: Path) -> None:
    await filled(tmp_path)
    async with embedded(tmp_path) as store:
        assert await store.tables.get(CONFIG, KEY) == ITEM
        assert await store.journal.count(["HISTORY"]) == 400
        await store.journal.commit([history_item(401, x=401)])
        pages = [page async for page in store.journal.read(["HISTORY"])]
        assert [item["seq"] for page in pages for item in page] == list(range(1, 402))


async def test_a_close_leaves_one_whole_file(tmp_path: Path) -> None:
    await filled(tmp_path)
    assert set(contents(tmp_path)) == {DATABASE_NAME}


def cut(content: bytes) -> bytes:
    return content[: len(content) // 2]


def cut_in_a_page(content: bytes) -> bytes:
    return content[:-100]


def scribbled_head(content: bytes) -> bytes:
    return b"\xa5" * 4096 + content[4096:]


def scribbled_middle(content: bytes) -> bytes:
    middle = len(content) // 2 // 4096 * 4096
    return content[:middle] + bytes(range(256)) * 32 + content[middle + 8192 :]


def other_program(content: bytes) -> bytes:
    return content[:68] + b"ABCD" + content[72:]


def newer_format(content: bytes) -> bytes:
    return content[:60] + (99).to_bytes(4, "big") + content[64:]


def no_database(_content: bytes) -> bytes:
    return b"dear diary, " * 1000


@pytest.mark.parametrize(
    ("damage", "says"),
    [
        (cut, "cut short|malformed"),
        (cut_in_a_page, "cut short"),
        (scribbled_head, "not a database"),
        (scribbled_middle, "damaged|malformed"),
        (other_program, "not one of Tesserae"),
        (newer_format, "format 99"),
        (no_database, "not a database"),
    ],
)
async def test_damage_is_told_and_nothing_is_changed(
    tmp_path: Path, damage: Callable[[bytes], bytes], says: str
) -> None:
    path = await filled(tmp_path)
    path.write_bytes(damage(path.read_bytes()))
    before = contents(tmp_path)
    with pytest.raises(StoreDamaged, match=says) as caught:
        async with embedded(tmp_path):
            pass
    assert str(path) in str(caught.value)
    assert "nothing was changed" in caught.value.hint
    assert contents(tmp_path) == before


async def test_a_lost_file_beside_its_log_is_damage(tmp_path: Path) -> None:
    path = await filled(tmp_path)
    path.unlink()
    log = path.with_name(f"{DATABASE_NAME}-wal")
    log.write_bytes(b"\x37\x7f\x06\x82" * 100)
    with pytest.raises(StoreDamaged, match="empty or gone"):
        async with embedded(tmp_path):
            pass
    assert log.exists()


async def test_a_lost_file_beside_its_blobs_is_damage(tmp_path: Path) -> None:
    path = await filled(tmp_path)
    async with embedded(tmp_path) as store:
        await store.blobs.put("canvas/canvas.bin", b"x", {})
    path.unlink()
    with pytest.raises(StoreDamaged, match="is gone"):
        async with embedded(tmp_path):
            pass
    assert not path.exists()


async def test_an_item_that_is_no_json_is_damage_when_it_is_read(tmp_path: Path) -> None:
    path = await filled(tmp_path)
    connection = sqlite3.connect(path, isolation_level=None)
    connection.execute("UPDATE history SET item = '{\"seq\":' WHERE x_original = 200")
    connection.execute("UPDATE config SET item = 'x'")
    connection.close()
    async with embedded(tmp_path) as store:
        with pytest.raises(StoreDamaged, match="no JSON"):
            async for _ in store.journal.read(["HISTORY"]):
                pass
        with pytest.raises(StoreDamaged, match="no JSON"):
            await store.tables.get(CONFIG, KEY)


async def test_a_start_that_was_cut_off_before_its_tables_is_begun_again(tmp_path: Path) -> None:
    connection = sqlite3.connect(tmp_path / DATABASE_NAME, isolation_level=None)
    connection.execute("PRAGMA journal_mode = WAL")
    connection.close()
    await filled(tmp_path)
    async with embedded(tmp_path) as store:
        assert await store.tables.get(CONFIG, KEY) == ITEM


def made_old(path: Path) -> None:
    """Bring a file back to format 1, which had no table of segments."""
    with closing(sqlite3.connect(path, isolation_level=None)) as connection:
        connection.execute("DROP TABLE history_segments")
        connection.execute("PRAGMA user_version = 1")


async def test_a_file_of_the_format_before_is_upgraded(tmp_path: Path) -> None:
    made_old(await filled(tmp_path))
    with pytest.raises(PermanentFault, match="format 1") as caught:
        async with beside(tmp_path):
            pass
    assert "serve it once" in caught.value.hint
    async with embedded(tmp_path) as store:
        await store.journal.commit([history_item(401, x=401)])
        found = await store.journal.within(["HISTORY"], Rectangle(399, 0, 401, 0))
        assert [item["seq"] for item in found.items] == [401, 400, 399]
    async with beside(tmp_path) as reader:
        assert len((await reader.journal.by_user("user-1")).items) == 58


async def test_a_reader_works_beside_the_writer_and_sees_what_is_committed(tmp_path: Path) -> None:
    await filled(tmp_path)
    async with embedded(tmp_path) as store, beside(tmp_path) as reader:
        assert await reader.tables.get(CONFIG, KEY) == ITEM
        await store.journal.commit([history_item(401)])
        assert await reader.journal.count(["HISTORY"]) == 401


async def test_a_reader_changes_nothing(tmp_path: Path) -> None:
    await filled(tmp_path)
    before = contents(tmp_path)
    async with beside(tmp_path) as reader:
        with pytest.raises(PermanentFault):
            await reader.tables.write(Put(CONFIG, ITEM))
        with pytest.raises(PermanentFault):
            await reader.journal.commit([history_item(500)])
        with pytest.raises(PermanentFault):
            await reader.lease.acquire()
        await reader.lease.release()
        assert await reader.journal.count(["HISTORY"]) == 400
    assert contents(tmp_path)[DATABASE_NAME] == before[DATABASE_NAME]


async def test_there_is_nothing_to_read_where_no_store_is(tmp_path: Path) -> None:
    with pytest.raises(PermanentFault, match="no store") as caught:
        async with beside(tmp_path / "none"):
            pass
    assert "--data" in caught.value.hint
    assert not (tmp_path / "none").exists()


def test_an_error_of_sqlite_keeps_its_cause(tmp_path: Path) -> None:
    with pytest.raises(PermanentFault) as caught, translated(tmp_path):
        sqlite3.connect(":memory:").execute("SELECT * FROM nothing")
    assert isinstance(caught.value.__cause__, sqlite3.OperationalError)
