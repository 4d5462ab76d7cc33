"""Blobs made alike, one by one; snapshots get the epoch that their game has in the target.

Called by copying.py.
"""

import zlib
from collections.abc import Mapping
from dataclasses import dataclass, replace

from persistence.ports import Blob, Blobs
from server.care.advance import Advance
from server.care.copy.tally import Tally

FOLDER = "canvas/"
"""All of ours lie in it; whatever else a bucket holds is left alone."""
EPOCH = "epoch"


@dataclass(frozen=True, slots=True)
class BlobsPass:
    """One pass from a source to a target."""

    source: Blobs
    target: Blobs
    advance: Advance
    writes: bool
    epochs: Mapping[str, str]
    """The epoch here of each epoch there."""

    async def over(self) -> Tally:
        """Make the target's blobs like the source's, or only compare them."""
        tally = Tally("blobs")
        wanted = await self._keys(self.source)
        there = set(await self._keys(self.target))
        for done, key in enumerate(wanted, 1):
            await self._make_alike(key, tally, is_there=key in there)
            self.advance(tally.what, done, len(wanted))
        for key in sorted(there - set(wanted)):
            tally.delete(key)
            if self.writes:
                await self._delete(key)
        return tally

    async def _keys(self, blobs: Blobs) -> list[str]:
        return await blobs.list(FOLDER)

    async def _make_alike(self, key: str, tally: Tally, *, is_there: bool) -> None:
        found = await self.source.get(key)
        if found is None:
            return
        blob = self._of_here(found)
        tally.count([key, zlib.crc32(blob.data), len(blob.data), dict(blob.metadata)])
        if is_there and await self.target.get(key) == blob:
            return
        tally.write(key)
        if self.writes:
            await self.target.put(key, blob.data, blob.metadata)

    async def _delete(self, key: str) -> None:
        await self.target.delete(key)

    def _of_here(self, blob: Blob) -> Blob:
        epoch = self.epochs.get(blob.metadata.get(EPOCH, ""))
        if epoch is None:
            return blob
        return replace(blob, metadata={**blob.metadata, EPOCH: epoch})
