"""Snapshots as they are stored: the canvas blob, its side blob, and their keys.

Owns the blobs' names, metadata and the order in which they are written, so that at any moment there
is one whole snapshot to recover from. An archive an hour stays for good as a keyframe. Called by
the snapshotter and by recovery.
"""

import asyncio
import re
import zlib
from collections import deque
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass

from persistence.errors import StoreDamaged
from persistence.ports import Blob, Blobs
from server.game.names import blob_folder

STANDS_IN = "an older one, or the history, stands in; `tesserae store check` tells what is damaged"
"""What helps where a snapshot or a side blob is not to be used."""
KEPT_ARCHIVES = 2
"""The newest archives are kept as a fallback, keyframes or not."""
KEYFRAME_EVERY_MS = 3_600_000
NEXT_KEYFRAME = "nextKeyframeMs"
"""In the metadata of keyframes alone."""
_MOMENT = re.compile(r"[0-9]{1,15}", re.ASCII)
LOOKED_BACK_AT = 8
"""Archives of former runs that are looked at, the newest first, for which of them are to leave."""


@dataclass(frozen=True, slots=True)
class StoredSnapshot:
    """A board at one seq, and where the history goes on from there."""

    packed: bytes
    seq: int
    last_sk: str
    epoch: str
    generation: int
    width: int
    height: int
    offset_x: int
    offset_y: int
    fence: int
    at_ms: int

    def to_blob(self, next_keyframe_ms: int | None = None) -> Blob:
        """Make the blob; its crc32 is of the packed bytes, and a keyframe tells the next one."""
        metadata = {
            "seq": self.seq,
            "lastSk": self.last_sk,
            "epoch": self.epoch,
            "generation": self.generation,
            "width": self.width,
            "height": self.height,
            "offsetX": self.offset_x,
            "offsetY": self.offset_y,
            "crc32": zlib.crc32(self.packed),
            "fence": self.fence,
            "atMs": self.at_ms,
            **({} if next_keyframe_ms is None else {NEXT_KEYFRAME: next_keyframe_ms}),
        }
        return Blob(self.packed, {name: str(value) for name, value in metadata.items()})

    @classmethod
    def from_blob(cls, key: str, blob: Blob) -> "StoredSnapshot":
        """Read a blob; raises StoreDamaged when its crc or metadata do not hold."""
        try:
            return cls._read(blob.data, blob.metadata)
        except (KeyError, ValueError) as error:
            raise StoreDamaged(f"the snapshot {key} is damaged: {error}", STANDS_IN) from error

    @classmethod
    def _read(cls, packed: bytes, metadata: Mapping[str, str]) -> "StoredSnapshot":
        if zlib.crc32(packed) != int(metadata["crc32"]):
            raise ValueError("its bytes do not have the crc32 that it was written with")
        return cls(
            packed=packed,
            seq=int(metadata["seq"]),
            last_sk=metadata["lastSk"],
            epoch=metadata["epoch"],
            generation=int(metadata["generation"]),
            width=int(metadata["width"]),
            height=int(metadata["height"]),
            offset_x=int(metadata["offsetX"]),
            offset_y=int(metadata["offsetY"]),
            fence=int(metadata["fence"]),
            at_ms=int(metadata["atMs"]),
        )


def newest_key(game: str) -> str:
    """Key of the newest snapshot."""
    return f"{blob_folder(game)}/canvas.bin"


def archive_key(game: str, seq: int) -> str:
    """Key of a kept snapshot."""
    return f"{blob_folder(game)}/archive/{seq:016d}.bin"


def seq_of(key: str) -> int | None:
    """Seq of a kept snapshot by its key; None when it is another blob's."""
    digits = key.rpartition("/")[2].removesuffix(".bin")
    return int(digits) if digits.isascii() and digits.isdigit() else None


def side_key(game: str, seq: int) -> str:
    """Key of the side blob (cooldowns and requests) of the snapshot at `seq`."""
    return f"{blob_folder(game)}/side/{seq:016d}.json"


async def keep(blobs: Blobs, game: str, snapshot: StoredSnapshot) -> None:
    """Keep a snapshot for good: as a keyframe that no later snapshot drops."""
    blob = await asyncio.to_thread(snapshot.to_blob, snapshot.at_ms + KEYFRAME_EVERY_MS)
    await blobs.put(archive_key(game, snapshot.seq), blob.data, blob.metadata)


class SnapshotWriter:
    """Writes the snapshots of one game, and drops those that are neither recent nor keyframes."""

    def __init__(self, blobs: Blobs, game: str) -> None:
        self._blobs = blobs
        self._game = game
        self._recent: deque[int] = deque()
        self._keyframe_seq = -1
        self._next_keyframe_ms = 0
        self._has_looked_back = False

    async def write(self, snapshot: StoredSnapshot, side: bytes) -> None:
        """Write the side blob and the archive before the newest snapshot, which so has both."""
        if not self._has_looked_back:
            await self._look_back()
            self._has_looked_back = True
        game, seq = self._game, snapshot.seq
        next_ms = self._next_keyframe_after(snapshot)
        # Off the loop: the crc of a board of 8000 x 8000 takes 16 ms.
        blob = await asyncio.to_thread(snapshot.to_blob, next_ms)
        await self._blobs.put(side_key(game, seq), side, {"seq": str(seq)})
        await self._blobs.put(archive_key(game, seq), blob.data, blob.metadata)
        await self._blobs.put(newest_key(game), blob.data, blob.metadata, fenced=True)
        self._note(seq, next_ms)
        await self._drop_superseded()

    async def _look_back(self) -> None:
        """Find what former runs left: their last keyframe, and what else is to leave in turn."""
        archives = await self._blobs.list(f"{blob_folder(self._game)}/archive/")
        for key in archives[-LOOKED_BACK_AT:]:
            seq = seq_of(key)
            with suppress(StoreDamaged):  # recovery has told; it is passed over here as there
                blob = None if seq is None else await self._blobs.get(key)
                if blob is not None and seq is not None:
                    self._note(seq, _next_keyframe_ms(blob))

    def _next_keyframe_after(self, snapshot: StoredSnapshot) -> int | None:
        """When the next keyframe is due, if this snapshot is one; a start may store it again."""
        if snapshot.seq == self._keyframe_seq:
            return self._next_keyframe_ms
        due = snapshot.at_ms >= self._next_keyframe_ms
        return snapshot.at_ms + KEYFRAME_EVERY_MS if due else None

    def _note(self, seq: int, next_keyframe_ms: int | None) -> None:
        if next_keyframe_ms is not None:
            self._keyframe_seq, self._next_keyframe_ms = seq, next_keyframe_ms
        elif seq not in self._recent:
            self._recent.append(seq)

    async def _drop_superseded(self) -> None:
        while len(self._recent) > KEPT_ARCHIVES:
            seq = self._recent.popleft()
            await self._blobs.delete(archive_key(self._game, seq))
            await self._blobs.delete(side_key(self._game, seq))


def _next_keyframe_ms(blob: Blob) -> int | None:
    """Return when a keyframe's next one is due; None for no keyframe, or one that does not tell."""
    told = blob.metadata.get(NEXT_KEYFRAME, "")
    return int(told) if _MOMENT.fullmatch(told) else None
