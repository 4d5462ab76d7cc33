"""What the tables of one stage are called in DynamoDB; the names are the design's."""

import re
from dataclasses import dataclass

from persistence.errors import PermanentFault
from persistence.ports import Table
from persistence.tables import MAIN

_NAME = re.compile(r"[A-Za-z0-9_.-]{3,255}", re.ASCII)
_LONGEST_SUFFIX = "-milestones"


@dataclass(frozen=True, slots=True)
class TableNames:
    """`<prefix>-<stage>` for the main table, `<prefix>-<stage>-<name>` for the others."""

    prefix: str = "tesserae"
    stage: str = "dev"

    def __post_init__(self) -> None:
        """Raise PermanentFault when DynamoDB takes no such names."""
        longest = f"{self.prefix}-{self.stage}{_LONGEST_SUFFIX}"
        if not (self.prefix and self.stage and _NAME.fullmatch(longest)):
            raise PermanentFault(
                f"no table can be called {longest!r:.300}",
                "prefix and stage are of a-z, A-Z, 0-9, '_', '-' and '.', 243 in all at most",
            )

    def of(self, table: Table) -> str:
        """Return a table's name."""
        main = f"{self.prefix}-{self.stage}"
        return main if table.name == MAIN.name else f"{main}-{table.name}"
