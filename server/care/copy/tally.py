"""What a pass over one part of a store came to: a partition, a table, the blobs.

Pure. Made by the modules that copy and compare, told at the end.
"""

import hashlib
from dataclasses import dataclass

import orjson

DIGEST_BYTES = 16


@dataclass(slots=True)
class Tally:
    """Counts of one part, and a hash over all of its contents, in whatever order they come."""

    what: str
    items: int = 0
    """That belong there."""
    written: int = 0
    deleted: int = 0
    difference: str = ""
    """The first one, in words; the two counts tell how many there are."""
    _sum: int = 0

    @property
    def differences(self) -> int:
        """How many items had to be written or deleted to make both alike."""
        return self.written + self.deleted

    @property
    def digest(self) -> str:
        """The hash, in hexadecimal."""
        return f"{self._sum:0{2 * DIGEST_BYTES}x}"

    def count(self, content: object) -> None:
        """Note one thing that belongs there."""
        self.items += 1
        canonical = orjson.dumps(content, default=sorted, option=orjson.OPT_SORT_KEYS)
        hashed = hashlib.blake2b(canonical, digest_size=DIGEST_BYTES).digest()
        self._sum = (self._sum + int.from_bytes(hashed)) % (1 << 8 * DIGEST_BYTES)

    def write(self, place: str) -> None:
        """Note one that is missing or other."""
        self.written += 1
        self.difference = self.difference or f"{place} is missing or another one"

    def delete(self, place: str) -> None:
        """Note one too many."""
        self.deleted += 1
        self.difference = self.difference or f"{place} does not belong there"
