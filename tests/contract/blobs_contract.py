"""What every Blobs must do. An adapter's test subclasses this and gives a fixture `store`."""

import pytest

from persistence.errors import PermanentFault
from persistence.ports import Store

KEY = "canvas/canvas.bin"


class BlobsContract:
    @pytest.mark.parametrize("data", [b"", b"\x00\xff" * 100_000])
    async def test_gives_back_what_was_put(self, store: Store, data: bytes) -> None:
        await store.blobs.put(KEY, data, {"seq": "12", "epoch": "é"})
        blob = await store.blobs.get(KEY)
        assert blob is not None
        assert blob.data == data
        assert blob.metadata == {"seq": "12", "epoch": "é"}

    async def test_replaces_data_and_metadata_together(self, store: Store) -> None:
        await store.blobs.put(KEY, b"old", {"seq": "1", "old": "x"})
        await store.blobs.put(KEY, b"new", {"seq": "2"})
        blob = await store.blobs.get(KEY)
        assert blob is not None
        assert (blob.data, blob.metadata) == (b"new", {"seq": "2"})

    async def test_knows_nothing_of_what_was_not_put(self, store: Store) -> None:
        await store.blobs.put(KEY, b"x", {})
        assert await store.blobs.get("canvas/other.bin") is None
        assert await store.blobs.get("canvas") is None

    async def test_lists_by_prefix(self, store: Store) -> None:
        for key in ("canvas/archive/20.bin", "canvas/archive/10.bin", KEY, "canvasser/a", "a"):
            await store.blobs.put(key, b"x", {})
        archived = ["canvas/archive/10.bin", "canvas/archive/20.bin"]
        assert await store.blobs.list("canvas/archive/") == archived
        assert await store.blobs.list("canvas/") == [*archived, KEY]
        assert await store.blobs.list("nothing") == []
        assert len(await store.blobs.list("")) == 5

    async def test_a_key_may_be_the_beginning_of_another(self, store: Store) -> None:
        await store.blobs.put("a", b"1", {})
        await store.blobs.put("a/b", b"2", {})
        assert await store.blobs.list("a") == ["a", "a/b"]

    async def test_a_delete_removes_and_may_be_repeated(self, store: Store) -> None:
        await store.blobs.put(KEY, b"x", {})
        await store.blobs.delete(KEY)
        await store.blobs.delete(KEY)
        assert await store.blobs.get(KEY) is None
        assert await store.blobs.list("") == []

    @pytest.mark.parametrize(
        "key",
        [
            "",
            "/",
            "/a",
            "a/",
            "a//b",
            "../a",
            "a/../b",
            ".",
            "a/.b",
            "a\\b",
            "a\0",
            "a b",
            "x" * 600,
        ],
    )
    async def test_refuses_what_is_no_key(self, store: Store, key: str) -> None:
        with pytest.raises(PermanentFault):
            await store.blobs.put(key, b"x", {})
        with pytest.raises(PermanentFault):
            await store.blobs.get(key)
        assert await store.blobs.list("") == []
