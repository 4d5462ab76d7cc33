"""The walk through a history: each row after the one before, from the first board to the newest.

Owns what makes rows a history: no number missing or twice, fences that never go back, positions on
the board of their time, `previous` that tell the truth, and boards equal to the snapshots on the
way. Pure: it is fed rows in order of their sort keys and stops where it needs something. Called by
game.py.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from canvas.base import LaidPicture
from canvas.board import Board
from canvas.events import BaseImported, ControlEvent, Resized, SettingsChanged
from canvas.growth import Growth, Lineage
from canvas.packing import Cells
from persistence.ports import Item
from server.care.check.findings import DIFFERS, Findings
from server.care.check.snapshots import Checkpoint
from server.game.config import GameConfig
from server.game.history import control_event, is_base, is_control
from server.game.rows import place_of, wrong_with
from server.game.writers import Writers


@dataclass(frozen=True, slots=True)
class Hole:
    """Numbers that no row has."""

    first: int
    last: int
    before: str
    """Sort key of the row before them; empty at the beginning."""
    after: str

    def __str__(self) -> str:
        """Tell them as a sentence does."""
        if self.first == self.last:
            return f"seq {self.first} is missing"
        return f"seqs {self.first} to {self.last} are missing"


class Walk:
    """One way through the history of a game."""

    def __init__(
        self, config: GameConfig, checkpoints: Sequence[Checkpoint], findings: Findings
    ) -> None:
        first = config.lineage.frames[0]
        self._empty = config.settings.palette.empty
        self._epoch = config.epoch
        self._frames = config.lineage.frames
        self._writers = Writers(config.writers)
        self._findings = findings
        self._checkpoints: dict[int, list[Checkpoint]] = {}
        for checkpoint in checkpoints:
            self._checkpoints.setdefault(checkpoint.seq, []).append(checkpoint)
        self.board: Board | None = Board(first.width, first.height, self._empty)
        """None from where the history cannot be followed any more."""
        self.awaited: Checkpoint | None = None
        """A sound snapshot of the newest row, where the board could not be followed."""
        self.lineage = Lineage([first])
        self.seq = 0
        self.fence = 0
        self.last_sk = ""
        self.holes: list[Hole] = []
        self.last_control = 0
        """Seq of the last control event: all before it was durable when it was written."""
        self.changes: dict[str, Any] = {}
        """What the settings events say last of each setting."""
        self.pictures: set[str] = set()
        """Keys of the blobs that base pictures name."""
        self.stragglers = 0
        self.cells = 0
        """Rows without a seq: copies for the index."""

    def feed(self, rows: Sequence[Item]) -> int:
        """Take rows up to the first that leaves a hole or needs its cells; returns how many.

        Stops, too, after a row at which there is a snapshot to go on from, in `awaited`.
        """
        for place, row in enumerate(rows):
            if self._is_of_history(row):
                if row["seq"] > self.seq + 1 or is_base(row):
                    return place
                self._take(row, None)
                if self.awaited is not None:
                    return place + 1
        return len(rows)

    def misses(self, row: Item, stopped_at: Item) -> bool:
        """Whether a row belongs into the hole before the one at which `feed` stopped."""
        if wrong_with(row) or not self._writers.vouch_for(row):
            return False
        return bool(self.seq < row["seq"] < stopped_at["seq"])

    def leaves_hole(self, row: Item) -> bool:
        """Whether the row at which `feed` stopped does not follow."""
        return bool(row["seq"] > self.seq + 1)

    def pass_hole(self, row: Item) -> None:
        """Note that what comes before the row is not there, and go on with it."""
        self.holes.append(Hole(self.seq + 1, row["seq"] - 1, self.last_sk, row["SK"]))
        self.board = None
        self.seq = row["seq"] - 1

    def lay(self, row: Item, cells: Cells | None) -> None:
        """Take the base picture at which `feed` stopped; without cells it cannot be followed."""
        self._take(row, cells)

    def go_on_from(self, board: Board | None) -> None:
        """Follow the board again, from the snapshot that was awaited; None when it is gone."""
        self.board, self.awaited = board, None

    # --- one row -------------------------------------------------------------

    def _is_of_history(self, row: Item) -> bool:
        """Tell rows that have a place in the order, and note the others."""
        if "seq" not in row and row.get("kind") == "cell":
            self.cells += 1
            return False
        wrong = wrong_with(row)
        if wrong:
            self._findings.damage("unreadable row", place_of(row), wrong)
            self._pass_unreadable(row)
            return False
        if not self._writers.vouch_for(row):
            self.stragglers += 1
            return False
        if row["seq"] <= self.seq:
            what = f"seq {row['seq']} is there again, or not in the order of its time"
            self._findings.damage("seq twice", place_of(row), what)
            return False
        return True

    def _pass_unreadable(self, row: Item) -> None:
        """Count a row that is there, so that it is not told to be missing, too."""
        if row.get("seq") == self.seq + 1:
            self.board = None
            self.seq += 1
            self.last_sk = row["SK"]

    def _take(self, row: Item, cells: Cells | None) -> None:
        if row["fence"] < self.fence:
            what = f"its fence {row['fence']} is lower than {self.fence}, which came before it"
            self._findings.damage("fence goes back", place_of(row), what)
        self.fence = row["fence"]
        self.seq = row["seq"]
        self.last_sk = row["SK"]
        if is_control(row):
            self._control(row, control_event(row), cells)
        else:
            self._place(row)
        for checkpoint in self._checkpoints.pop(self.seq, ()):
            self._compare(checkpoint)

    def _place(self, row: Item) -> None:
        geometry = self.lineage.geometry
        offset = row["offset_x"], row["offset_y"]
        x, y = row["x_original"] + offset[0], row["y_original"] + offset[1]
        if self.board is None:
            return
        if offset != (geometry.offset_x, geometry.offset_y) or not geometry.contains(x, y):
            self.board = None
            what = (
                f"it lies at ({x}, {y}) with offset {offset}, and the board was"
                f" {geometry.width} x {geometry.height} with offset"
                f" {geometry.offset_x, geometry.offset_y}"
            )
            self._findings.damage("off the board", place_of(row), what)
            return
        before = self.board.get(x, y)
        if row["previous"] != before:
            what = f"it says that ({x}, {y}) was color {row['previous']}, and it was {before}"
            self._findings.damage("wrong previous", place_of(row), what)
        self.board.set(x, y, row["colorIndex"])

    # --- control events ------------------------------------------------------

    def _control(self, row: Item, event: ControlEvent, cells: Cells | None) -> None:
        self.last_control = event.seq
        if isinstance(event, SettingsChanged):
            self._note_changes(event.changes)
        elif isinstance(event, Resized):
            self._grow(row, event)
        else:
            self._lay(row, event, cells)

    def _note_changes(self, changes: Mapping[str, Any]) -> None:
        for name, value in changes.items():
            known = self.changes.get(name)
            partly = isinstance(value, dict) and isinstance(known, dict)  # of a cooldown
            self.changes[name] = {**known, **value} if known and partly else value

    def _grow(self, row: Item, event: Resized) -> None:
        growth = Growth.of(event)
        try:
            self.lineage = self.lineage.append(growth)
        except ValueError as error:
            self._findings.damage("impossible growth", place_of(row), str(error))
            self.board = None
            return
        if self.board is not None:
            self.board = self.board.grown(growth, self._empty)

    def _lay(self, row: Item, event: BaseImported, cells: Cells | None) -> None:
        self.pictures.add(event.blob)
        frame = self.lineage.geometry
        if cells is None or self.board is None:
            self.board = None
            return
        try:
            self.board.lay(LaidPicture.of(cells, event.x, event.y, frame))
        except ValueError as error:
            self._findings.damage("impossible picture", place_of(row), str(error))
            self.board = None

    # --- snapshots -----------------------------------------------------------

    def _compare(self, checkpoint: Checkpoint) -> None:
        """Hold a snapshot against the row at which it was taken, and the board there."""
        is_own = checkpoint.epoch == self._epoch
        if is_own and self.board is None and checkpoint.geometry in self._frames:
            # Where rows are lost, what they would have led to is known from here on.
            self.lineage = Lineage(self._frames[: self._frames.index(checkpoint.geometry) + 1])
            self.awaited = checkpoint
            return
        wrong = self._differs(checkpoint)
        if not wrong:
            return
        if is_own:
            self._findings.damage("snapshot differs", checkpoint.key, wrong, DIFFERS)
        else:
            what = f"{wrong}; it is of a former epoch, so that nobody starts from it"
            self._findings.harmless("former snapshot differs", checkpoint.key, what)

    def _differs(self, checkpoint: Checkpoint) -> str:
        geometry = self.lineage.geometry
        if checkpoint.geometry != geometry:
            return f"it is of {checkpoint.geometry}, and at seq {self.seq} the board was {geometry}"
        if checkpoint.last_sk != self.last_sk:
            return f"it goes on after {checkpoint.last_sk}, and seq {self.seq} is {self.last_sk}"
        if self.board is not None and self.board.crc32() != checkpoint.crc32:
            return f"its board is not the one that history leads to at seq {self.seq}"
        return ""

    def unmet(self) -> list[Checkpoint]:
        """Return the snapshots whose seqs did not come by."""
        return [one for seq in sorted(self._checkpoints) for one in self._checkpoints[seq]]
