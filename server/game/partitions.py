"""Where a game's history lies: the partitions that are written to in turn, and all that ever were.

One partition of DynamoDB takes about 1,000 writes a second, so that a busier board needs several:
`#s00`, `#s01`, …, by `seq mod N`. Rows never move, and readers merge all that were ever used. One
shard is the layout of the seed. Pure.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from server.game.history import partition_of

MAX_SHARDS = 64


@dataclass(frozen=True, slots=True)
class Partitions:
    """The partitions of one game."""

    written: tuple[str, ...]
    used: tuple[str, ...]
    """All that may hold rows, those written to included."""

    @classmethod
    def of(cls, game: str, shards: int, used: Sequence[str] = ()) -> "Partitions":
        """Write to so many shards from now on, beside what was used before."""
        written = shards_of(game, shards)
        return cls(written, tuple(dict.fromkeys([*used, *written])))

    def for_seq(self, seq: int) -> str:
        """Return the partition that an event belongs in."""
        return self.written[seq % len(self.written)]


def shards_of(game: str, shards: int) -> tuple[str, ...]:
    """Name the partitions of so many shards. Raises ValueError for a number that cannot be."""
    if not 1 <= shards <= MAX_SHARDS:
        raise ValueError(f"{shards} history shards; there may be 1 to {MAX_SHARDS}")
    base = partition_of(game)
    return (base,) if shards == 1 else tuple(f"{base}#s{number:02d}" for number in range(shards))


def first_partitions(game: str) -> tuple[str, str]:
    """Name those of which one holds rows, whatever the number of shards ever was."""
    return partition_of(game), f"{partition_of(game)}#s00"
