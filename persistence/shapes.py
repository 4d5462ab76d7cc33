"""What the tables of a stage look like in DynamoDB: as declared, as found, and where they differ.

Pure values over the declarations in tables.py. Calls nothing and changes nothing. Used by what
makes and looks at tables, by whoever opens the AWS store, and by the command line.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Protocol

from persistence.ports import Index, Table

ON_DEMAND = "PAY_PER_REQUEST"
ACTIVE = "ACTIVE"
CHANGING = "UPDATING"
MISSING = "MISSING"
_SERVING = (ACTIVE, CHANGING)

Keys = tuple[tuple[str, str], ...]
"""(name, type) of the partition key and the sort key."""
Progress = Callable[[str, int, int], None]
"""Called with the name of the table that is next or was made, how many are done, of how many."""


@dataclass(frozen=True, slots=True)
class IndexShape:
    """What an index looks like."""

    keys: Keys
    projection: str
    """`ALL`, `KEYS_ONLY`, or `INCLUDE` with the names in order."""
    status: str = ACTIVE
    """`CREATING` while it is filled from the table."""


@dataclass(frozen=True, slots=True)
class Shape:
    """What a table looks like."""

    keys: Keys
    billing: str
    ttl: str | None
    indexes: dict[str, IndexShape]


@dataclass(frozen=True, slots=True)
class Found:
    """A table of the stage as it is in DynamoDB."""

    table: Table
    name: str
    status: str
    """`ACTIVE`, `CREATING`, … or `MISSING`."""
    shape: Shape | None = None
    item_count: int = 0
    """As DynamoDB tells it, up to six hours old."""
    size_bytes: int = 0


class TableKeeper(Protocol):
    """The tables of one stage, for commands; raises what a store raises."""

    async def describe(self) -> list[Found]:
        """Look at every table."""
        ...

    async def create(self, progress: Progress) -> list[str]:
        """Make what is missing and return the names of the tables that were made or completed."""
        ...


def declared(table: Table) -> Shape:
    """Return what a table must look like."""
    return Shape(
        keys=((table.partition, "S"), (table.sort, "S")),
        billing=ON_DEMAND,
        ttl=table.ttl,
        indexes={index.name: _declared_index(index) for index in table.indexes},
    )


def projection_of(kind: str, names: Sequence[str]) -> str:
    """Return a projection in words; names in order, so that two can be compared."""
    return f"{kind} {', '.join(sorted(names))}" if names else kind


def keys_told(keys: Keys) -> str:
    """Return keys in words."""
    return " + ".join(f"{name} ({kind})" for name, kind in keys)


def differences(found: Found) -> Iterator[str]:
    """Yield how a table differs from its declaration."""
    yield from obstacles(found)
    wanted, shape = declared(found.table), found.shape
    if shape is None:
        return
    if found.status == CHANGING:
        yield f"{found.name}: is being changed"
    for what, have, want in (
        ("billing", shape.billing, wanted.billing),
        ("TTL attribute", shape.ttl, wanted.ttl),
    ):
        if have != want:
            yield f"{found.name}: {what} {have or 'none'}, not {want or 'none'}"
    for index in sorted(shape.indexes.keys() - wanted.indexes.keys()):
        yield f"{found.name}: index {index} is not declared, and every write pays for it"


def lacks(found: Found) -> Iterator[str]:
    """Yield what can be made without changing anything that is there.

    A table with other keys lacks nothing: whatever it is, it is not ours to add to.
    """
    wanted, shape = declared(found.table), found.shape
    if shape is None:
        yield "the table"
    elif shape.keys == wanted.keys:
        yield from (f"index {index}" for index in wanted.indexes if index not in shape.indexes)
        if wanted.ttl is not None and shape.ttl is None:
            yield f"TTL by {wanted.ttl}"


def obstacles(found: Found) -> Iterator[str]:
    """Yield those differences on which no server can stand."""
    wanted, shape = declared(found.table), found.shape
    if shape is None:
        yield f"{found.name}: there is no such table"
        return
    if found.status not in _SERVING:
        yield f"{found.name}: is {found.status}, not {ACTIVE}"
    if shape.keys != wanted.keys:
        yield f"{found.name}: keys {keys_told(shape.keys)}, not {keys_told(wanted.keys)}"
    yield from _index_obstacles(found.name, shape, wanted)


def _index_obstacles(name: str, shape: Shape, wanted: Shape) -> Iterator[str]:
    for index, want in wanted.indexes.items():
        have = shape.indexes.get(index)
        if have is None:
            yield f"{name}: there is no index {index}"
            continue
        if have.status != ACTIVE:
            yield f"{name}: index {index} is {have.status}, not {ACTIVE}"
        if have.keys != want.keys:
            yield f"{name}: index {index}: keys {keys_told(have.keys)}, not {keys_told(want.keys)}"
        if have.projection != want.projection:
            yield f"{name}: index {index}: projects {have.projection}, not {want.projection}"


def _declared_index(index: Index) -> IndexShape:
    keys = ((index.partition, "S"), (index.sort, index.sort_type))
    if index.include is None:
        return IndexShape(keys, "ALL")
    return IndexShape(keys, projection_of("INCLUDE", index.include))
