"""What every Blobs must do. An adapter's test subclasses this and gives a fixture `store`."""

import pytest

from persistence.blobs import MAX_METADATA_BYTES
from persistence.errors import LeaseLost, PermanentFault
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

    async def test_metadata_come_back_to_the_letter(self, store: Store) -> None:
        metadata = {
            "lastSk": "ts#1760000000000#000001-7",
            "nextKeyframeMs": "0",
            "aBC1": " 100 %\t%20 ",
            "empty": "",
            "poem": "a\r\nb é \U0001f600",
        }
        await store.blobs.put(KEY, b"x", metadata)
        blob = await store.blobs.get(KEY)
        assert blob is not None
        assert blob.metadata == metadata

    async def test_metadata_may_be_as_long_as_they_may(self, store: Store) -> None:
        longest = {"a": "\x7f" * (MAX_METADATA_BYTES - 1)}
        await store.blobs.put(KEY, b"x", longest)
        blob = await store.blobs.get(KEY)
        assert blob is not None
        assert blob.metadata == longest

    @pytest.mark.parametrize(
        "metadata",
        [
            {"last-sk": "x"},
            {"LastSk": "x"},
            {"": "x"},
            {"a b": "x"},
            {"a": "x" * MAX_METADATA_BYTES},
            {"a": 1},
            {"a": "\ud800"},
        ],
    )
    async def test_refuses_metadata_that_some_store_could_not_hold(
        self, store: Store, metadata: dict[str, str]
    ) -> None:
        with pytest.raises(PermanentFault):
            await store.blobs.put(KEY, b"x", metadata)
        assert await store.blobs.get(KEY) is None

    async def test_a_fenced_put_gives_way_to_a_higher_fence(self, store: Store) -> None:
        for fence, data in ((2, b"a"), (2, b"b"), (10, b"c")):
            await store.blobs.put(KEY, data, {"fence": str(fence)}, fenced=True)
        with pytest.raises(LeaseLost) as lost:
            await store.blobs.put(KEY, b"d", {"fence": "9"}, fenced=True)
        assert lost.value.hint
        blob = await store.blobs.get(KEY)
        assert blob is not None
        assert (blob.data, blob.metadata) == (b"c", {"fence": "10"})

    async def test_a_fenced_put_replaces_what_tells_no_fence(self, store: Store) -> None:
        for metadata in ({}, {"fence": "none"}):
            await store.blobs.put(KEY, b"foreign", metadata)
            await store.blobs.put(KEY, b"ours", {"fence": "1"}, fenced=True)
            blob = await store.blobs.get(KEY)
            assert blob is not None
            assert blob.data == b"ours"

    async def test_a_fenced_put_makes_what_was_removed(self, store: Store) -> None:
        await store.blobs.put(KEY, b"x", {"fence": "1"}, fenced=True)
        await store.blobs.delete(KEY)
        await store.blobs.put(KEY, b"y", {"fence": "1"}, fenced=True)
        assert await store.blobs.list("") == [KEY]

    async def test_a_fenced_put_has_a_fence(self, store: Store) -> None:
        with pytest.raises(PermanentFault):
            await store.blobs.put(KEY, b"x", {"seq": "1"}, fenced=True)
        assert await store.blobs.get(KEY) is None
