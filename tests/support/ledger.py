"""The stored history of the default game, read beside a server, to hold witnesses against."""

import zlib
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from tesserae_client import PixelsChanged, Placed

from canvas.board import Board
from canvas.records import record
from persistence.ports import Item, Store
from persistence.tables import CONFIG, MAIN
from server.audience.presence_service import NUMBER_KEY
from server.game.config import key_of
from server.game.history import partition_of
from server.game.names import DEFAULT_GAME
from server.replica.merging import newest_of_each_cell
from tests.support.stores import beside
from tests.support.witness import Witness


@dataclass(frozen=True, slots=True)
class Ledger:
    """What is stored: the history rows in order, and what goes with them."""

    rows: list[Item]
    records: NDArray[np.uint32]
    """Of each row, as on the wire; shape (rows,)."""
    epoch: str
    fence: int
    presence_seq: int

    @property
    def seq(self) -> int:
        return len(self.rows)

    def crc32_of_replay(self, width: int, height: int) -> int:
        """Checksum of the board that the history alone leads to."""
        board = Board(width, height)
        board.apply_records(self.records)
        return zlib.crc32(board.to_bytes())

    def holes(self) -> list[str]:
        """Complain about numbers that are missing, twice there or out of order."""
        seqs = [row["seq"] for row in self.rows]
        keys = [row["SK"] for row in self.rows]
        fences = [row["fence"] for row in self.rows]
        complaints = []
        if seqs != list(range(1, len(seqs) + 1)):
            complaints.append("seq has a hole, or goes back, in the history")
        if keys != sorted(keys) or fences != sorted(fences):
            complaints.append("time or fence goes back in the history")
        return complaints

    def twice(self) -> list[str]:
        """Complain about one placement that is stored as two pixels."""
        asked = [(row["userId"], row.get("request"), row.get("index")) for row in self.rows]
        return [] if len(set(asked)) == len(asked) else ["a re-sent placement was placed twice"]

    def against(self, witness: Witness) -> list[str]:
        """Complain about whatever a witness was told and the history does not hold."""
        wrong = [f"{witness.name} saw {seen}" for seen in witness.seen if not self._holds(seen)]
        wrong += [
            f"{witness.name}: acknowledged, not in history: {placed}"
            for user, placed in witness.placed
            if not self._has(user, placed)
        ]
        return wrong

    def stored_though_refused(self, witnesses: list[Witness]) -> list[str]:
        """Complain about placements that are stored although their player heard a refusal."""
        stored = {(row["userId"], row.get("request"), row.get("index")) for row in self.rows}
        return [
            f"{witness.name}: stored, but told {outcome}"
            for witness in witnesses
            for user, outcome in witness.not_placed
            if (user, outcome.request, outcome.index) in stored
        ]

    def _has(self, user: str, placed: Placed) -> bool:
        if placed.seq > self.seq:
            return False
        row = self.rows[placed.seq - 1]
        told = (user, placed.x, placed.y, placed.color, placed.request, placed.index)
        return told == (*_pixel_of(row), row["request"], row["index"])

    def _holds(self, seen: PixelsChanged) -> bool:
        stored = self.records[seen.first - 1 : seen.last]
        if len(stored) != seen.last + 1 - seen.first:
            return False
        told = np.asarray(seen.records)
        if seen.conflated:
            stored, told = np.sort(newest_of_each_cell(stored)), np.sort(told)
        return bool(np.array_equal(stored, told))


def _pixel_of(row: Item) -> tuple[Any, ...]:
    x, y = row["x_original"] + row["offset_x"], row["y_original"] + row["offset_y"]
    return row["userId"], x, y, row["colorIndex"]


async def read_ledger(data: Path) -> Ledger:
    """Read a data directory; the server may run meanwhile."""
    async with beside(data) as store:
        return await ledger_of(store)


async def ledger_of(store: Store) -> Ledger:
    """Read all that a store keeps of it."""
    config = await store.tables.get(CONFIG, key_of(DEFAULT_GAME))
    assert config is not None
    partitions = config.get("historyPartitions") or [partition_of(DEFAULT_GAME)]
    stored = [row async for page in store.journal.read(partitions) for row in page]
    rows = _counted(stored, config.get("writers", {}))
    presence = await store.tables.get(MAIN, NUMBER_KEY)
    pixels = (_pixel_of(row) for row in rows)
    return Ledger(
        rows,
        np.array([record(x, y, color) for _, x, y, color in pixels], dtype=np.uint32),
        config["epoch"],
        (await store.lease.look()).fence,
        0 if presence is None else presence["seq"],
    )


def _counted(rows: list[Item], writers: dict[str, int]) -> list[Item]:
    """Leave out what a writer added after the next one had begun."""
    ends = sorted((int(fence), seq) for fence, seq in writers.items())

    def counts(row: Item) -> bool:
        return all(row["seq"] <= seq for fence, seq in ends if row["fence"] <= fence)

    return [row for row in rows if counts(row)]
