"""A point in the history of a game: one of its numbers, or a moment.

Pure. Read from a command's flag, resolved by plan.py.
"""

from dataclasses import dataclass
from datetime import UTC, datetime

MS = 1000


@dataclass(frozen=True, slots=True)
class Point:
    """A seq, or ms since 1970; one of them."""

    seq: int | None = None
    at_ms: int | None = None


def told(at_ms: int) -> str:
    """Write a moment for people, to the ms."""
    moment = datetime.fromtimestamp(at_ms // MS, UTC)
    return f"{moment:%Y-%m-%d %H:%M:%S}.{at_ms % MS:03d} UTC"
