"""`checksum`: the CRC-32 of the packed board at the seq that the connection has just been told.

Large boards are summed in a thread from a copy; meanwhile the streams of the connection stand
still, so that the reply follows the frame whose `last` is its seq.
"""

import asyncio
import zlib
from typing import Any

from pydantic import Field

from canvas.geometry import MAX_SIDE
from server.commands.registry import (
    Command,
    Done,
    Failed,
    OnSession,
    Outcome,
    Reply,
    Request,
    SessionCall,
)
from server.commands.watching import GameName, find
from server.game.game import Game

INLINE_BYTES = 512 * 1024
"""Summed on the loop in half a millisecond; a thread costs as much."""


class Checksum(Request):
    """The game, and how many rows a band has when bands are wanted, too."""

    game: GameName
    rows_per_band: int | None = Field(default=None, ge=2, le=MAX_SIDE, multiple_of=2)
    """Even, so that each band starts on a whole byte."""


class Sums(Reply):
    """The sums, and the seq at which they hold."""

    seq: int
    crc32: int
    bands: list[int] | None = None


async def _checksum(call: SessionCall[Checksum]) -> Outcome:
    hub, connection = call.session.services.hub, call.session.connection
    game = await find(call.session.services, call.request.game)
    if isinstance(game, Failed):
        return game
    # Before, since a paced reader may need a snapshot; after, since more may have come meanwhile.
    hub.catch_up(connection)
    await hub.refreshed(connection, game.name)
    hub.catch_up(connection)
    replica = game.replica
    if replica.board.packed.nbytes > INLINE_BYTES:
        return await _off_loop(call, game)
    width = replica.lineage.geometry.width
    found = sums(replica.board.packed.data, width, call.request.rows_per_band)
    return Done({"seq": replica.seq, **found})


async def _off_loop(call: SessionCall[Checksum], game: Game) -> Outcome:
    session, replica = call.session, game.replica
    seq, width, packed = replica.seq, replica.lineage.geometry.width, replica.board.to_bytes()
    session.pause_streams()
    try:
        found = await asyncio.to_thread(sums, packed, width, call.request.rows_per_band)
    except BaseException:
        session.resume_streams()
        raise
    return Done({"seq": seq, **found}, session.resume_streams)


def sums(packed: bytes | memoryview, width: int, rows_per_band: int | None) -> dict[str, Any]:
    """Sum a packed board, as a whole and in bands of rows."""
    crc32 = {"crc32": zlib.crc32(packed)}
    if rows_per_band is None:
        return crc32
    view = memoryview(packed)
    band_bytes = rows_per_band * width // 2
    bands = [
        zlib.crc32(view[start : start + band_bytes]) for start in range(0, len(view), band_bytes)
    ]
    return {**crc32, "bands": bands}


COMMAND = Command(
    "checksum", "Check that you see the board", Checksum, Sums, OnSession(_checksum), cost=5
)
