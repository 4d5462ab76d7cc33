"""Copies of boards and large parts, made bit by bit: 32 MB at once hold the loop for 6 to 40 ms.

Owns that a copy is true at one seq although placements go on meanwhile: whatever was written since
it was begun is taken again at its end, in one turn. Called by the
routes of canvas.bin and canvas.png.
"""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from canvas.board import Board
from canvas.packing import Cells, cells_per_byte
from canvas.records import split
from canvas.region import Region
from server.http.boards.strips import Strip, strip_bytes, strip_of
from server.http.problems import unavailable
from server.replica.replica import Replica
from server.replica.ring import PixelRun, Segment

STEP_BYTES = 1024 * 1024
"""At most 1.5 ms, most of them for fresh pages of memory."""
MAX_TRIES = 3
RETRY_MS = 2_000


@dataclass(frozen=True, slots=True)
class Sheet:
    """Which board it is: the same for all who ask before the next pixel."""

    epoch: str
    seq: int
    generation: int
    width: int
    height: int


def sheet_of(replica: Replica) -> Sheet:
    """Name the board that is published now."""
    geometry = replica.lineage.geometry
    return Sheet(replica.epoch, replica.seq, geometry.generation, geometry.width, geometry.height)


async def whole_board(replica: Replica) -> tuple[Sheet, memoryview]:
    """Copy the packed board as it is when this ends, and say which it is.

    Raises Problem (503) when it is replaced by another one again and again.
    """
    for _ in range(MAX_TRIES):
        board, seq = replica.board, replica.seq
        copied = await _copied(board)
        segments = replica.ring.after(seq)
        if replica.board is board and segments is not None:
            _take_again(board, copied, segments)
            return sheet_of(replica), copied.data
    raise unavailable("the board is being replaced; try again in a moment", RETRY_MS)


async def part_of_board(replica: Replica, region: Region) -> tuple[Sheet, Strip]:
    """Copy the rows of a part as they are when this ends, and say of which board.

    Raises Problem (503) as `whole_board` does, out of which a large part is taken.
    """
    if strip_bytes(replica.board, region) <= STEP_BYTES:
        return sheet_of(replica), strip_of(replica.board, region)
    sheet, packed = await whole_board(replica)
    return sheet, Strip(packed, sheet.width, region)


async def _copied(board: Board) -> Cells:
    packed = board.packed
    copied = np.empty_like(packed)
    for start in range(0, packed.nbytes, STEP_BYTES):
        if start:
            await asyncio.sleep(0)
        copied[start : start + STEP_BYTES] = packed[start : start + STEP_BYTES]
    return copied


def _take_again(board: Board, copied: Cells, segments: Sequence[Segment]) -> None:
    for segment in segments:
        if isinstance(segment, PixelRun):
            x, y, _ = split(np.frombuffer(segment.records, dtype="<u4"))
            cells = y.astype(np.int64) * board.width + x
            at = cells // cells_per_byte(board.bits)
            copied[at] = board.packed[at]
