"""The lock on a data directory, and directories that cannot be used."""

import errno
import json
import os
from pathlib import Path

import pytest

from persistence.embedded.disk import fault_of
from persistence.embedded.lock import DirectoryLock, LockHolder, holder_of
from persistence.errors import PermanentFault, StoreInUse, TransientFault
from tests.support.stores import embedded

SINCE_MS = 1_760_000_000_000


def test_the_second_is_told_who_holds_it(tmp_path: Path) -> None:
    holder, rival = DirectoryLock(tmp_path), DirectoryLock(tmp_path)
    holder.acquire(SINCE_MS)
    with pytest.raises(StoreInUse) as caught:
        rival.acquire(SINCE_MS + 1)
    assert f"process {os.getpid()} on " in str(caught.value)
    assert "since 2025-10-09 08:53:20 UTC" in str(caught.value)
    assert "--data" in caught.value.hint
    holder.release()
    rival.acquire(SINCE_MS)
    rival.release()


def test_who_looks_is_told_and_takes_nothing(tmp_path: Path) -> None:
    assert holder_of(tmp_path) is None
    lock = DirectoryLock(tmp_path)
    lock.acquire(SINCE_MS)
    lock.tell("http://127.0.0.1:8080")
    before = (tmp_path / "lock").read_bytes()
    holder = holder_of(tmp_path)
    assert holder is not None
    assert holder.owner.startswith(f"process {os.getpid()} on ")
    assert (holder.since_ms, holder.url) == (SINCE_MS, "http://127.0.0.1:8080")
    assert (tmp_path / "lock").read_bytes() == before
    lock.release()
    assert holder_of(tmp_path) is None
    assert sorted(path.name for path in tmp_path.iterdir()) == ["lock"]


def test_it_may_be_taken_and_given_back_twice(tmp_path: Path) -> None:
    lock = DirectoryLock(tmp_path)
    lock.acquire(SINCE_MS)
    lock.acquire(SINCE_MS + 5)
    lock.release()
    lock.release()
    DirectoryLock(tmp_path).acquire(SINCE_MS)


@pytest.mark.parametrize(
    "content", [b"", b'{"pid": 1', b"[]", b'{"pid":1,"host":"h","sinceMs":1e99}']
)
def test_a_half_written_file_still_refuses(tmp_path: Path, content: bytes) -> None:
    holder = DirectoryLock(tmp_path)
    holder.acquire(SINCE_MS)
    (tmp_path / "lock").write_bytes(content)
    with pytest.raises(StoreInUse, match="another process"):
        DirectoryLock(tmp_path).acquire(SINCE_MS)
    assert holder_of(tmp_path) == LockHolder("another process")
    holder.release()


def test_a_directory_in_its_place_is_told(tmp_path: Path) -> None:
    (tmp_path / "lock").mkdir()
    with pytest.raises(PermanentFault, match="lock"):
        DirectoryLock(tmp_path).acquire(SINCE_MS)


def test_what_an_earlier_holder_left_is_replaced(tmp_path: Path) -> None:
    (tmp_path / "lock").write_text("x" * 1000)
    lock = DirectoryLock(tmp_path)
    lock.acquire(SINCE_MS)
    assert json.loads((tmp_path / "lock").read_bytes())["sinceMs"] == SINCE_MS
    lock.release()


async def test_a_second_store_on_the_directory_is_refused(tmp_path: Path) -> None:
    async with embedded(tmp_path):
        with pytest.raises(StoreInUse, match=f"process {os.getpid()}"):
            async with embedded(tmp_path):
                pass
    async with embedded(tmp_path) as store:
        assert await store.lease.acquire() == 1


async def test_a_file_where_the_directory_should_be(tmp_path: Path) -> None:
    (tmp_path / "data").write_text("x")
    for path in (tmp_path / "data", tmp_path / "data" / "below"):
        with pytest.raises(PermanentFault) as caught:
            async with embedded(path):
                pass
        assert "--data" in caught.value.hint
    assert (tmp_path / "data").read_text() == "x"


@pytest.mark.skipif(os.name != "posix" or os.geteuid() == 0, reason="root may write anywhere")
def test_a_directory_that_may_not_be_written(tmp_path: Path) -> None:
    tmp_path.chmod(0o500)
    with pytest.raises(PermanentFault, match="Permission denied"):
        DirectoryLock(tmp_path).acquire(SINCE_MS)
    tmp_path.chmod(0o700)


@pytest.mark.parametrize(
    ("number", "kind", "helps"),
    [
        ("ENOSPC", TransientFault, "free some space"),
        ("EDQUOT", TransientFault, "quota"),
        ("EMFILE", TransientFault, "ulimit"),
        ("EACCES", PermanentFault, "writable"),
        ("EROFS", PermanentFault, "read-only"),
        ("ENAMETOOLONG", PermanentFault, "check the path"),
    ],
)
def test_faults_of_the_disk_say_what_helps(
    tmp_path: Path, number: str, kind: type[Exception], helps: str
) -> None:
    fault = fault_of(OSError(getattr(errno, number), "the reason"), tmp_path)
    assert type(fault) is kind
    assert str(fault) == f"{tmp_path}: the reason"
    assert helps in fault.hint
