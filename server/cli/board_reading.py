"""The newest board of a data directory, read and drawn for `tesserae canvas export`.

Owns the bar while history is read and what is said of snapshots that cannot be used.
"""

from typing import NamedTuple

import click
from rich.console import Console

from canvas.board import Board
from canvas.geometry import Geometry
from canvas.packing import cut
from canvas.region import Region
from persistence.errors import StoreDamaged
from pictures.drawing import draw
from server.cli.progress import shown_progress
from server.cli.stores import no_such_game, opened
from server.config import Settings
from server.recovery.present import read_present
from server.recovery.reader import RecoveryEvents


class ReadBoard(NamedTuple):
    """A board as it was published at `seq`."""

    board: Board
    geometry: Geometry
    palette: list[str | None]
    seq: int


async def read_board(settings: Settings, game: str) -> ReadBoard:
    """Read a board beside whoever writes to it. Raises StoreError, or ClickException."""
    async with opened(settings, read_only=True) as store:
        with shown_progress("Reading the board", Console(stderr=True)) as advance:
            present = await read_present(store, game, RecoveryEvents(advance, _complain))
        if present is None:
            raise await no_such_game(store, game, settings)
    replica = present.outcome.replica
    palette = replica.settings.palette
    return ReadBoard(replica.board, replica.lineage.geometry, palette.rgb, replica.seq)


def _complain(damage: StoreDamaged) -> None:
    click.echo(f"{damage}; the board is read without it", err=True)


def drawn(read: ReadBoard, part: Region, scale: int) -> bytes:
    """Draw a part of the board as PNG."""
    return draw(cut(read.board.packed, read.board.width, part), read.palette, scale)
