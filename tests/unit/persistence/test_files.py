"""Containers on the disk: broken ones, half-written ones, and disks that fail."""

import os
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from persistence.embedded.files import FileBlobs
from persistence.errors import PermanentFault, StoreDamaged, TransientFault

KEY = "canvas/place/a/canvas.bin"
NAME = f"{KEY}.blob"


@pytest.fixture
async def blobs(tmp_path: Path) -> AsyncIterator[FileBlobs]:
    opened = FileBlobs(tmp_path)
    yield opened
    await opened.close()


@pytest.mark.parametrize("keep", [0, 1, 15, 16, 20, 60, -1])
async def test_a_cut_container_is_damage(blobs: FileBlobs, tmp_path: Path, keep: int) -> None:
    await blobs.put(KEY, b"x" * 100, {"seq": "1"})
    path = tmp_path / NAME
    path.write_bytes(path.read_bytes()[:keep])
    with pytest.raises(StoreDamaged, match=r"canvas\.bin\.blob is damaged") as caught:
        await blobs.get(KEY)
    assert "older one" in caught.value.hint


@pytest.mark.parametrize("at", [0, 8, 12, 16, 30, 100])
async def test_a_flipped_bit_is_damage(blobs: FileBlobs, tmp_path: Path, at: int) -> None:
    await blobs.put(KEY, b"x" * 100, {"seq": "1"})
    path = tmp_path / NAME
    content = bytearray(path.read_bytes())
    content[at] ^= 0x10
    path.write_bytes(content)
    with pytest.raises(StoreDamaged):
        await blobs.get(KEY)


async def test_leftovers_are_removed_and_are_no_blobs(blobs: FileBlobs, tmp_path: Path) -> None:
    await blobs.put(KEY, b"x", {})
    leftover = tmp_path / NAME
    leftover = leftover.with_name(f".{leftover.name}.tmp")
    leftover.write_bytes(b"half")
    assert await blobs.list("") == [KEY]
    await blobs.remove_leftovers()
    assert not leftover.exists()
    assert await blobs.get(KEY) is not None


async def test_a_failed_put_keeps_the_old_one(
    blobs: FileBlobs, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    await blobs.put(KEY, b"old", {})

    def full(_file: int) -> None:
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as patch:
        patch.setattr(os, "fsync", full)
        with pytest.raises(TransientFault, match="No space left"):
            await blobs.put(KEY, b"new", {})
    assert [path.name for path in (tmp_path / NAME).parent.iterdir()] == ["canvas.bin.blob"]
    blob = await blobs.get(KEY)
    assert blob is not None
    assert blob.data == b"old"
    await blobs.put(KEY, b"new", {})


async def test_metadata_is_text(blobs: FileBlobs) -> None:
    with pytest.raises(PermanentFault):
        await blobs.put(KEY, b"", {"seq": 1})  # type: ignore[dict-item]
    assert await blobs.get(KEY) is None
