"""What is kept of encoded bytes: bounded in bytes and in number, the oldest leaves first."""

import pytest

from server.replica.kept import Kept


def test_the_oldest_leave_for_the_newest() -> None:
    kept: Kept[int] = Kept(100, 3)
    for key in range(5):
        kept.put(key, bytes([key]))
    assert [kept.get(key) for key in range(5)] == [None, None, b"\2", b"\3", b"\4"]
    assert (len(kept), kept.size_bytes) == (3, 3)


@pytest.mark.parametrize(("size", "fits"), [(10, 10), (33, 3), (100, 1), (101, 0)])
def test_no_more_bytes_than_allowed(size: int, fits: int) -> None:
    kept: Kept[int] = Kept(100, 1000)
    for key in range(50):
        kept.put(key, bytes(size))
    assert len(kept) == fits
    assert kept.size_bytes == fits * size


def test_nothing_is_left_after_clearing() -> None:
    kept: Kept[int] = Kept(100, 3)
    kept.put(1, b"one")
    kept.clear()
    assert (len(kept), kept.size_bytes, kept.get(1)) == (0, 0, None)
