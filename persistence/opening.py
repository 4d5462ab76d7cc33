"""What whoever opens a store is told while it takes its time; every adapter knows these.

Values alone. The composition root words them for the operator, a command for the terminal.
"""

from collections.abc import Callable
from dataclasses import dataclass

from persistence.errors import StoreError


@dataclass(frozen=True, slots=True)
class OpeningEvents:
    """Each called on the loop."""

    away: Callable[[StoreError, float], None]
    """The store does not answer; it is tried for so many more seconds."""
    waiting: Callable[[str, float], None]
    """Another process holds the lease; told again for each of its renewals, with the seconds for
    which it has to be silent before the lease can be taken."""
    troubled: Callable[[StoreError], None]
    """A call about the lease failed and is tried again."""
