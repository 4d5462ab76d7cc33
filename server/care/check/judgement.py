"""What a walk through a history comes to, held against the config and the snapshots.

Owns which hole is damage and which is what a crash, or a running server, leaves at the end; and
that config and history tell the same of size, settings and writers. Pure. Called by game.py.
"""

from collections.abc import Mapping
from itertools import pairwise
from typing import Any

from server.care.check.findings import NOTHING_TO_DO, PUT_BACK, Findings
from server.care.check.snapshots import REMOVE, Checkpoint, Snapshots
from server.care.check.walk import Hole, Walk
from server.game.config import GameConfig, key_of

LOST_BLOB = "look for a backup that has its row, else " + REMOVE


class Judgement:
    """The last findings of a game."""

    def __init__(
        self,
        config: GameConfig,
        walk: Walk,
        snapshots: Snapshots,
        findings: Findings,
        *,
        ordered: bool,
    ) -> None:
        self._config = config
        self._walk = walk
        self._snapshots = snapshots
        self._findings = findings
        self._place = f"config {' / '.join(key_of(config.game))}"
        self._published = max(config.seq, *config.writers.values(), 0)
        self._behind = None if ordered else self._unpublished_hole()
        self.end = walk.seq if self._behind is None else self._behind.first - 1
        """Seq of the newest row that counts."""

    def _unpublished_hole(self) -> Hole | None:
        """Find the hole behind which nothing was ever published: the next start drops that."""
        own = [one for one in self._snapshots.checkpoints if one.epoch == self._config.epoch]
        stored = [checkpoint.seq for checkpoint in own]
        known = max([self._published, self._walk.last_control, *stored])
        return next((hole for hole in self._walk.holes if hole.first > known), None)

    def tell(self, given_fence: int | None) -> None:
        """Add what is found to the findings."""
        self._tell_holes()
        self._tell_end()
        self._tell_growths()
        self._tell_settings()
        self._tell_writers(given_fence)
        for checkpoint in self._walk.unmet():
            self._tell_unmet(checkpoint)
        for key in sorted(self._snapshots.pictures - self._walk.pictures):
            what = "no row speaks of it: an import did not get to its end, or is on its way"
            self._findings.harmless("lone picture", key, what, LOST_BLOB)

    # --- rows ----------------------------------------------------------------

    def _tell_holes(self) -> None:
        for hole in self._walk.holes:
            if self._behind is not None and hole.first >= self._behind.first:
                continue
            where = f"after {hole.before}" if hole.before else "at the beginning"
            what = f"{hole}: the next row is {hole.after}"
            self._findings.damage("missing row", f"history of {self._config.game}, {where}", what)
        if self._behind is not None:
            what = (
                f"rows up to seq {self._walk.seq} lie behind a hole after seq {self.end}: a server"
                " is writing them, or died while it did"
            )
            remedy = "nothing is to be done: the next start drops what was never published"
            place = f"history of {self._config.game}, after {self._behind.before}"
            self._findings.harmless("rows behind a hole", place, what, remedy)
        if self._walk.stragglers:
            what = (
                f"{self._walk.stragglers} rows came from former writers after their time; every"
                " reader passes over them"
            )
            place = f"history of {self._config.game}"
            self._findings.harmless("stragglers", place, what, NOTHING_TO_DO)

    def _tell_end(self) -> None:
        if self.end < self._published:
            what = f"it says that seq {self._published} was published, and history ends at"
            self._findings.damage("lost end", self._place, f"{what} {self.end}")

    def _tell_unmet(self, checkpoint: Checkpoint) -> None:
        """A snapshot within a hole is told with it."""
        if checkpoint.seq <= self._walk.seq:
            return
        what = f"it is of seq {checkpoint.seq}, and history ends at {self.end}"
        if checkpoint.epoch == self._config.epoch:
            self._findings.damage("lost end", checkpoint.key, f"{what}: rows are missing")
        else:
            what = f"{what}; it is of a former epoch, so that nobody starts from it"
            self._findings.harmless("former snapshot", checkpoint.key, what)

    # --- config --------------------------------------------------------------

    def _tell_growths(self) -> None:
        told, walked = self._config.lineage.frames, self._walk.lineage.frames
        if told != walked:
            what = (
                f"its growths lead to {told[-1]} in {len(told) - 1} steps, those of history to"
                f" {walked[-1]} in {len(walked) - 1}"
            )
            self._findings.damage("growths", self._place, what)

    def _tell_settings(self) -> None:
        settings = self._config.settings
        try:
            last = settings.changed(self._walk.changes)
        except ValueError as error:
            self._findings.damage(
                "settings", self._place, f"history has set what cannot be: {error}"
            )
            return
        for name in _differences(settings.to_json(), last.to_json()):
            what = f"its {name} is not what history has set last"
            self._findings.damage("settings", self._place, what)

    def _tell_writers(self, given_fence: int | None) -> None:
        writers = sorted(self._config.writers.items())
        for (fence, seq), (later, later_seq) in pairwise(writers):
            if later_seq < seq:
                what = f"writer {fence} got to seq {seq}, and {later} after it only to {later_seq}"
                self._findings.damage("writers", self._place, what)
        highest = max([self._walk.fence, *self._config.writers])
        if given_fence is not None and highest > given_fence:
            what = f"the lease has given fences up to {given_fence}, and {highest} has written"
            self._findings.damage("fence", f"main LEASE of {self._config.game}", what, PUT_BACK)


def _differences(one: Mapping[str, Any], other: Mapping[str, Any]) -> list[str]:
    return [name for name in one if one[name] != other[name]]
