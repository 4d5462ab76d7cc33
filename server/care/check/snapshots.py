"""The blobs of a game, read one by one: snapshots, side blobs, and what else lies there.

Owns which blob is what, that each is whole by itself, and which pairs belong together. A blob that
goes away meanwhile was superseded by a running server, and is nothing to tell. Called by game.py.
"""

import asyncio
from collections.abc import Callable
from dataclasses import dataclass

import orjson

from canvas.board import Board
from canvas.geometry import Geometry
from persistence.errors import StoreDamaged
from persistence.ports import Blob, Blobs
from server.care.check.findings import NEW_SNAPSHOT, Findings
from server.game.names import blob_folder
from server.recovery.stored_snapshot import StoredSnapshot, archive_key, newest_key, side_key

REMOVE = "remove the blob; nothing needs it"


@dataclass(frozen=True, slots=True)
class Checkpoint:
    """What is kept of a snapshot to hold it against the history."""

    key: str
    seq: int
    epoch: str
    geometry: Geometry
    last_sk: str
    fence: int
    crc32: int


class Snapshots:
    """Reads what lies in the folder of one game."""

    def __init__(self, blobs: Blobs, game: str, findings: Findings) -> None:
        self._blobs = blobs
        self._game = game
        self._folder = blob_folder(game)
        self._newest = newest_key(game)
        self._findings = findings
        self._sides: set[int] = set()
        self.checkpoints: list[Checkpoint] = []
        self.pictures: set[str] = set()
        """Keys of base pictures that are there."""

    async def read(self, advance: Callable[[int, int], None]) -> None:
        """Read every snapshot and side blob; base pictures are read with their rows."""
        keys = await self._blobs.list(f"{self._folder}/")
        for done, key in enumerate(keys, 1):
            await self._look_at(key)
            advance(done, len(keys))
        await self._check_pairs()

    async def board(self, checkpoint: Checkpoint) -> Board | None:
        """Read a snapshot's board again; None when another one has taken its place."""
        blob = await self._blobs.get(checkpoint.key)
        read = None if blob is None else await asyncio.to_thread(_read, checkpoint.key, blob)
        return read[1] if read is not None and read[0] == checkpoint else None

    async def _look_at(self, key: str) -> None:
        kind = key.removeprefix(f"{self._folder}/").partition("/")[0]
        if key == self._newest or kind == "archive":
            await self._look_at_snapshot(key)
        elif kind == "side":
            await self._look_at_side(key)
        elif kind == "base":
            self.pictures.add(key)

    async def _look_at_snapshot(self, key: str) -> None:
        try:
            blob = await self._blobs.get(key)
            if blob is not None:
                self.checkpoints.append((await asyncio.to_thread(_read, key, blob))[0])
        except StoreDamaged as damage:
            remedy = NEW_SNAPSHOT if key == self._newest else f"{REMOVE}: another one stands in"
            self._findings.damage("snapshot", key, f"{damage}", remedy)

    async def _look_at_side(self, key: str) -> None:
        try:
            blob = await self._blobs.get(key)
            if blob is not None:
                self._sides.add(_side_seq(blob))
        except (StoreDamaged, ValueError, KeyError, TypeError) as error:
            what = f"cooldowns and requests cannot be read from it: {error}"
            self._findings.damage("side blob", key, what, f"{REMOVE}: history has the same")

    async def _check_pairs(self) -> None:
        """Look once more for what was not there: a running server may have written it since."""
        seqs = {checkpoint.seq for checkpoint in self.checkpoints}
        for checkpoint in self.checkpoints:
            if checkpoint.key == self._newest and checkpoint.seq not in self._sides:
                await self._look_for_side(checkpoint)
        for seq in sorted(self._sides - seqs):
            await self._look_for_snapshot(seq)

    async def _look_for_side(self, checkpoint: Checkpoint) -> None:
        if await self._is_there(side_key(self._game, checkpoint.seq)):
            return
        if await self.board(checkpoint) is not None:
            what = "it has no side blob; a start reads cooldowns from the history instead"
            self._findings.harmless("no side blob", checkpoint.key, what)

    async def _look_for_snapshot(self, seq: int) -> None:
        key = side_key(self._game, seq)
        if not await self._is_there(archive_key(self._game, seq)) and await self._is_there(key):
            what = "it belongs to no snapshot: a writer died on the way"
            self._findings.harmless("lone side blob", key, what, REMOVE)

    async def _is_there(self, key: str) -> bool:
        return key in await self._blobs.list(key)


def _read(key: str, blob: Blob) -> tuple[Checkpoint, Board]:
    """Read a snapshot whole. Raises StoreDamaged."""
    stored = StoredSnapshot.from_blob(key, blob)
    try:
        geometry = Geometry(
            stored.width, stored.height, stored.offset_x, stored.offset_y, stored.generation
        )
        board = Board.from_packed(stored.width, stored.height, stored.packed)
    except ValueError as error:
        raise StoreDamaged(f"the snapshot is damaged: {error}", NEW_SNAPSHOT) from error
    checkpoint = Checkpoint(
        key=key,
        seq=stored.seq,
        epoch=stored.epoch,
        geometry=geometry,
        last_sk=stored.last_sk,
        fence=stored.fence,
        crc32=board.crc32(),
    )
    return checkpoint, board


def _side_seq(blob: Blob) -> int:
    seq = orjson.loads(blob.data)["seq"]
    if blob.metadata.get("seq") != str(seq):
        raise ValueError(f"its content is of seq {seq}, its metadata of another")
    return int(seq)
