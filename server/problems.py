"""What can be wrong with a configuration, told all at once and each with its remedy.

    ConfigurationError      the process cannot start as it was told to; exit code 2
    └── problems            one `Problem` for each thing that is wrong

Raised by the loader, and by whoever finds later that a configured file is of no use.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Self


@dataclass(frozen=True, slots=True)
class Problem:
    """One thing that is wrong: where it was written, what is wrong, what helps."""

    where: str
    wrong: str
    remedy: str

    def __str__(self) -> str:
        return f"{self.where} {self.wrong}. {self.remedy}"


class ConfigurationError(Exception):
    """The configuration cannot be used; `problems` has at least one entry."""

    def __init__(self, problems: Sequence[Problem]) -> None:
        self.problems = tuple(problems)
        super().__init__("\n".join(str(problem) for problem in self.problems))

    @classmethod
    def of(cls, where: str, wrong: str, remedy: str) -> Self:
        """Make an error of a single problem."""
        return cls([Problem(where, wrong, remedy)])
