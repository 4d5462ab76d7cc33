"""The ports of the store: Tables, Journal, Blobs and Lease. Adapters live beside this file.

Items are plain dicts of JSON values (str, int, float, bool, None, list, dict) and sets of strings
(frozenset, never empty), keyed by the names that the table declares. A port raises only what
errors.py lists. Adapters own their threads; every method is a coroutine of the running loop. Who
calls: the server's recovery, committer, snapshotter.
"""

from collections.abc import AsyncIterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, NamedTuple, Protocol

from persistence.errors import LeaseLost

Item = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Index:
    """A secondary index: its own partition and sort attribute, and what it projects."""

    name: str
    partition: str
    sort: str
    sort_type: Literal["S", "N"] = "S"
    include: tuple[str, ...] | None = None
    """Projected attributes besides keys; None projects all."""


@dataclass(frozen=True, slots=True)
class Table:
    """What an adapter must know of a table; the names are the seeds'."""

    name: str
    """Logical name: `config`, `bans`, `milestones`, `history` or `main`."""
    partition: str = "PK"
    sort: str = "SK"
    ttl: str | None = None
    """Attribute (epoch seconds) after which every reader drops the item."""
    indexes: tuple[Index, ...] = ()


class Key(NamedTuple):
    """Where one item is."""

    partition: str
    sort: str


@dataclass(frozen=True, slots=True)
class Condition:
    """What must hold for a write, or for an item to pass a filter: everything that is named."""

    equals: Mapping[str, Any] = field(default_factory=dict)
    absent: tuple[str, ...] = ()
    at_least: Mapping[str, int | float] = field(default_factory=dict)
    """Bounds of numbers, themselves included; what is absent or no number does not hold."""
    at_most: Mapping[str, int | float] = field(default_factory=dict)
    exists: bool | None = None
    """True: the item must exist; False: it must not."""


@dataclass(frozen=True, slots=True)
class Put:
    """Write a whole item."""

    table: Table
    item: Item
    condition: Condition | None = None


@dataclass(frozen=True, slots=True)
class Update:
    """Set and remove attributes of one item, which is made when it is not there."""

    table: Table
    key: Key
    set: Mapping[str, Any] = field(default_factory=dict)
    remove: tuple[str, ...] = ()
    add: Mapping[str, int | frozenset[str]] = field(default_factory=dict)
    """Numbers or members to add atomically; what is absent counts as 0, or as an empty set."""
    discard: Mapping[str, frozenset[str]] = field(default_factory=dict)
    """Members to take out of sets; the attribute of a set that becomes empty is removed."""
    condition: Condition | None = None


@dataclass(frozen=True, slots=True)
class Delete:
    """Remove one item; not an error when it is not there."""

    table: Table
    key: Key
    condition: Condition | None = None


@dataclass(frozen=True, slots=True)
class Check:
    """Change nothing, but let the transaction fail where the condition does not hold."""

    table: Table
    key: Key
    condition: Condition


Write = Put | Update | Delete
Step = Write | Check
"""A part of a transaction."""


@dataclass(frozen=True, slots=True)
class Page:
    """One page of a query; `cursor` fetches the next, None at the end.

    The work of one call is bounded: a page may hold fewer items than the limit, or none, and yet
    have a cursor.
    """

    items: list[Item]
    cursor: str | None


class Tables(Protocol):
    """Items by key."""

    async def get(self, table: Table, key: Key) -> Item | None:
        """Read one item, consistently."""
        ...

    async def write(self, write: Write) -> Item | None:
        """Do one write; returns the item as it is now (None after a delete).

        Raises ConditionFailed, and then nothing is changed.
        """
        ...

    async def transact(self, writes: Sequence[Step]) -> None:
        """Do all writes or none, at most 100, each about another item. Raises ConditionFailed."""
        ...

    async def get_many(self, table: Table, keys: Sequence[Key]) -> list[Item | None]:
        """Read items, each consistently, in the order of the keys."""
        ...

    async def put_many(self, table: Table, items: Sequence[Item]) -> None:
        """Write whole items, not together: after a fault some may be there. May be repeated.

        Of items with one key the last counts.
        """
        ...

    async def delete_many(self, table: Table, keys: Sequence[Key]) -> None:
        """Remove items, not together: after a fault some may be gone. May be repeated."""
        ...

    async def query(
        self,
        table: Table,
        partition: str,
        *,
        prefix: str = "",
        after: str = "",
        up_to: str | None = None,
        where: Condition | None = None,
        ascending: bool = True,
        limit: int = 1000,
        cursor: str | None = None,
    ) -> Page:
        """Items of a partition in sort-key order: sort > `after`, <= `up_to`, with `prefix`.

        Only items for which `where` holds; it names no keys.
        """
        ...

    async def by_index(
        self,
        table: Table,
        index: Index,
        partition: str,
        *,
        at_least: str | float | None = None,
        at_most: str | float | None = None,
        where: Condition | None = None,
        ascending: bool = True,
        limit: int = 1000,
        cursor: str | None = None,
    ) -> Page:
        """Items of an index's partition in the order of its sort attribute, bounds included.

        Items without its attributes are not in it; of the others it gives keys and what it
        projects. It may lag behind the table by a moment. The order of equals is the store's.
        """
        ...

    async def scan(self, table: Table, *, limit: int = 1000, cursor: str | None = None) -> Page:
        """Items of a whole table in no particular order; `cursor` as in a query.

        What is written meanwhile may be among them or not. Raises PermanentFault for a cursor that
        is none of this store.
        """
        ...


@dataclass(frozen=True, slots=True)
class Rectangle:
    """A rectangle in original coordinates, all four sides included."""

    x1: int
    y1: int
    x2: int
    y2: int

    def contains(self, x: int, y: int) -> bool:
        """Whether the position lies in it."""
        return self.x1 <= x <= self.x2 and self.y1 <= y <= self.y2


@dataclass(frozen=True, slots=True)
class Lookback:
    """What a lookup gives: items with SK > `after`, <= `up_to`, newest first."""

    after: str = ""
    up_to: str | None = None
    limit: int = 1000
    """Of one page."""
    cursor: str | None = None
    """Of the page before, whose other fields were the same."""


LATEST = Lookback()
"""The first page of all that there is."""


class Journal(Protocol):
    """The history of games: ordered, append-mostly, the truth of what was accepted."""

    async def commit(self, items: Sequence[Item], writes: Sequence[Step] = ()) -> None:
        """Make history items durable, with `writes` in the same transaction when there are any.

        When it returns everything is on stable storage. Calls in flight together may share one
        transaction with each other (group commit), and are durable in the order of the calls.
        Committing the same items again is harmless. Raises TransientFault or PermanentFault.
        """
        ...

    def read(
        self,
        partitions: Sequence[str],
        *,
        after: str = "",
        up_to: str | None = None,
        page: int = 5000,
    ) -> AsyncIterator[list[Item]]:
        """All items with SK > `after`, <= `up_to`, merged in SK order, in pages, consistently."""
        ...

    async def count(
        self, partitions: Sequence[str], *, after: str = "", up_to: str | None = None
    ) -> int:
        """How many items `read` would yield: for a progress bar."""
        ...

    async def delete(self, keys: Sequence[Key]) -> None:
        """Delete history items (what lies after the first hole)."""
        ...

    async def within(
        self, partitions: Sequence[str], area: Rectangle, look: Lookback = LATEST
    ) -> Page:
        """Placements in an area.

        By `XOriginalIndex`, as full items where it can. The work of one call is bounded, so a page
        may hold fewer than the limit, or nothing, and yet have a cursor; each gets further back.
        Raises PermanentFault for a cursor that is none of this store.
        """
        ...

    async def by_user(self, user_id: str, look: Lookback = LATEST) -> Page:
        """A user's placements in all games, by `UserIndex`; else as `within`."""
        ...

    async def newest(self, partitions: Sequence[str], look: Lookback = LATEST) -> Page:
        """All items of partitions; else as `within`."""
        ...


@dataclass(frozen=True, slots=True)
class Blob:
    """Bytes with their metadata (strings, as S3 has them; namedLikeThis)."""

    data: bytes
    metadata: Mapping[str, str]


class Blobs(Protocol):
    """Whole objects by key (`canvas/canvas.bin`)."""

    async def put(
        self, key: str, data: bytes, metadata: Mapping[str, str], *, fenced: bool = False
    ) -> None:
        """Replace an object atomically; durable when it returns.

        With `fenced` the metadata `fence` is the writer's: raises LeaseLost, and nothing is
        changed, when what is there was written with a higher one.
        """
        ...

    async def get(self, key: str) -> Blob | None:
        """Read an object; None when there is none; StoreDamaged when its container is broken."""
        ...

    async def list(self, prefix: str) -> list[str]:
        """Keys that begin with `prefix`, sorted."""
        ...

    async def delete(self, key: str) -> None:
        """Remove an object; not an error when it is not there."""
        ...


@dataclass(frozen=True, slots=True)
class Holding:
    """The lease as it is at a moment: who has it, if anybody, and since when; for people."""

    fence: int
    """The highest that was ever given; 0 when none was."""
    owner: str = ""
    """Who has it, in words; empty when nobody does."""
    url: str = ""
    """Where the owner is reached; empty when it did not say."""
    since_ms: int | None = None
    """By the owner's wall clock."""
    until_ms: int | None = None
    """When it ends unless it is renewed, by the owner's wall clock; None: with the process."""
    lease_ms: int | None = None
    """How long the owner may be silent before another may take it; None as for `until_ms`."""


class Lease(Protocol):
    """The right to be the one writer of a store."""

    async def acquire(self, *, above: int = 0) -> int:
        """Take it and return the fence, higher than any before and than `above`.

        A store that takes another one's history over gives that one's fence. Raises StoreInUse.
        """
        ...

    def valid(self) -> bool:
        """Whether it is held beyond doubt in this moment: only then may anything be acknowledged.

        It may be so again later, with the same fence: nobody has taken it then.
        """
        ...

    async def lost(self) -> LeaseLost:
        """Wait until another process has taken it, and say so; without that, never return."""
        ...

    async def tell(self, url: str) -> None:
        """Say where the holder is reached: StoreInUse tells it to a rival, until the release."""
        ...

    async def look(self) -> Holding:
        """Say who has it, and change nothing."""
        ...

    async def release(self) -> None:
        """Give it back; a process that dies gives it back too."""
        ...


@dataclass(frozen=True, slots=True)
class Store:
    """The ports of one opened store."""

    tables: Tables
    journal: Journal
    blobs: Blobs
    lease: Lease
    ordered: bool = True
    """History becomes durable in the order of the commits, so that a hole in it is damage."""
    commit_interval: float = 0.0
    """Seconds in which a busy game should gather what it commits, where each commit is dear."""
