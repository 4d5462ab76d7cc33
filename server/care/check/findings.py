"""What a check finds: sentences with a place, how bad it is, and the command that mends.

Owns that a store full of one fault is told in a few lines: after the first findings of a kind the
others are counted. Pure. Filled by the other modules here, told by `tesserae store check`.
"""

from collections import Counter
from dataclasses import dataclass
from enum import StrEnum

MAX_TOLD = 10
"""Of one kind of finding; what is more is counted."""

PUT_BACK = (
    "stop the server, look at a backup with `tesserae store check`, put it in place of what is"
    " damaged, and run `tesserae epoch new`; docs/how-to/damage.md tells what else there is"
)
"""For what only a backup still has."""
PUT_BLOB_BACK = (
    "put the blob back from a backup; `tesserae canvas export` and `tesserae history export` save"
    " what can be read meanwhile"
)
NEW_SNAPSHOT = "stop the server and run `tesserae epoch new`, which stores a new one from history"
DIFFERS = (
    "either its rows or the snapshot was changed: a backup tells which (`tesserae store check`);"
    " a start goes by the newest snapshot that is whole, so remove those that are wrong"
)
NOTHING_TO_DO = "nothing is to be done"


class Severity(StrEnum):
    """How bad a finding is."""

    DAMAGE = "damage"
    """Something is lost or wrong; exit code 1."""
    HARMLESS = "harmless"
    """What a crash leaves behind and every reader passes over."""


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing that is not as it is written."""

    severity: Severity
    place: str
    """Table and key, or the blob's key."""
    what: str
    remedy: str

    def to_json(self) -> dict[str, str]:
        """Under the names of the fields."""
        return {
            "severity": self.severity.value,
            "place": self.place,
            "what": self.what,
            "remedy": self.remedy,
        }


class Findings:
    """Collects findings, at most `MAX_TOLD` of each kind."""

    def __init__(self) -> None:
        self._told: list[tuple[str, Finding]] = []
        self._counts: Counter[str] = Counter()

    def damage(self, kind: str, place: str, what: str, remedy: str = PUT_BACK) -> None:
        """Note damage; `kind` is what is counted together."""
        self._note(kind, Finding(Severity.DAMAGE, place, what, remedy))

    def harmless(self, kind: str, place: str, what: str, remedy: str = NOTHING_TO_DO) -> None:
        """Note what needs nothing done."""
        self._note(kind, Finding(Severity.HARMLESS, place, what, remedy))

    def _note(self, kind: str, finding: Finding) -> None:
        self._counts[kind] += 1
        if self._counts[kind] <= MAX_TOLD:
            self._told.append((kind, finding))

    @property
    def damages(self) -> int:
        """How many damages there are, the untold ones included."""
        kinds = {kind for kind, finding in self._told if finding.severity is Severity.DAMAGE}
        return sum(self._counts[kind] for kind in kinds)

    def all(self) -> list[Finding]:
        """Return the findings, damage first, each kind with what was only counted of it."""
        kinds = list(dict.fromkeys(kind for kind, _ in self._told))
        told = [finding for kind in kinds for finding in self._of(kind)]
        return sorted(told, key=lambda finding: finding.severity is not Severity.DAMAGE)

    def _of(self, kind: str) -> list[Finding]:
        told = [finding for other, finding in self._told if other == kind]
        rest = self._counts[kind] - len(told)
        if rest:
            last = told[-1]
            told.append(Finding(last.severity, kind, f"{rest:,} more of this kind", last.remedy))
        return told
