"""Cursors of `history`: opaque to a client, and of use with the query that they came from alone.

Owns what is in one. A cursor grants nothing, so it is not signed: it names a place in what its
query may see. Pure.
"""

import zlib
from base64 import urlsafe_b64decode, urlsafe_b64encode
from dataclasses import dataclass
from typing import Any

import orjson

PARTS = 4


class CursorError(ValueError):
    """No cursor of this query; the text tells why and what helps."""


@dataclass(frozen=True, slots=True)
class Cursor:
    """Where a page begins."""

    generation: int
    """Of the board when the first page was asked for: an area is meant in its coordinates."""
    position: str | None = None
    """The store's own cursor; None at the newest."""
    below_seq: int | None = None
    """Entries from here on were given already, of the store's page at `position`."""

    @classmethod
    def read(cls, text: str | None, query: str, generation: int) -> "Cursor":
        """Read what a client gives; None begins at the newest. Raises CursorError."""
        if text is None:
            return cls(generation)
        try:
            parts = orjson.loads(urlsafe_b64decode(text.encode()))
        except ValueError:
            parts = None
        if not _are_parts(parts):
            raise CursorError("is damaged; begin without one")
        if parts[0] != _digest(query):
            raise CursorError("is of another query; give only the one that this query replied")
        return cls(*parts[1:])

    def encode(self, query: str) -> str:
        """Make the text that a client gives back."""
        parts = [_digest(query), self.generation, self.position, self.below_seq]
        return urlsafe_b64encode(orjson.dumps(parts)).decode()


def _are_parts(value: Any) -> bool:
    """Whether a value is what `encode` writes: of this query or of another."""
    if not isinstance(value, list) or len(value) != PARTS:
        return False
    digest, generation, position, below_seq = value
    numbers = [digest, generation, *([] if below_seq is None else [below_seq])]
    whole = all(type(number) is int and number >= 0 for number in numbers)
    return whole and (position is None or isinstance(position, str))


def _digest(query: str) -> int:
    return zlib.crc32(query.encode())
