"""History items as rows of SQLite, many of them in one step.

Owns the columns of a row and the statements that add rows. A step takes the interpreter's lock, for
which it may wait 5 ms beside a busy loop, so that a step is for up to `STEP_ROWS`; there is a
statement for each power of two, filled up with rows that it leaves out. That SQLite takes a batch
apart from one JSON text costs 10 us more an item (44 instead of 33, in batches of 60). Called by
the journal.
"""

# ruff: noqa: S608 - statements hold declared names alone; values are bound

import sqlite3
from collections.abc import Sequence
from functools import lru_cache
from typing import Any

from persistence.items import MAX_SORT_BYTES, key_of
from persistence.ports import Item
from persistence.sqlite.schema import attributes
from persistence.tables import HISTORY
from persistence.values import encoded

STEP_ROWS = 256
"""3 ms of SQLite's work, and a statement of 150 KB."""
_ATTRIBUTES = tuple(attributes(HISTORY))
_COLUMNS = (HISTORY.partition, HISTORY.sort, *_ATTRIBUTES, "item")
_WIDTH = len(_COLUMNS)


def values_of(items: Sequence[Item]) -> list[Any]:
    """Return the columns of one row after the other. Raises PermanentFault for what is no item."""
    partitions = [item.get(HISTORY.partition) for item in items]
    sorts = [item.get(HISTORY.sort) for item in items]
    if not (_are_plain(partitions) and _are_plain(sorts)):
        for item in items:
            key_of(HISTORY, item)
    values: list[Any] = []
    for partition, sort, item in zip(partitions, sorts, items, strict=True):
        values += (partition, sort, *map(item.get, _ATTRIBUTES), encoded(item).decode())
    return values


def _are_plain(keys: Sequence[Any]) -> bool:
    """Whether all are plainly keys, at a quarter of what asking `key_of` for each costs."""
    try:
        text = "".join(keys)
    except TypeError:
        return False
    sizes = [len(key) for key in keys]
    plain = text.isascii() and "\0" not in text
    return plain and min(sizes, default=1) > 0 and max(sizes, default=0) <= MAX_SORT_BYTES


def sorts_of(values: Sequence[Any]) -> Sequence[str]:
    """Return the sort keys in what `values_of` gave."""
    return values[1::_WIDTH]


def add_rows(connection: sqlite3.Connection, values: Sequence[Any], segment: int) -> None:
    """Add rows to a segment, or put them in place of those with their keys."""
    step = STEP_ROWS * _WIDTH
    for start in range(0, len(values), step):
        part = values[start : start + step]
        rows = 1 << (len(part) // _WIDTH - 1).bit_length()
        filling = (None,) * (rows * _WIDTH - len(part))
        connection.execute(_statement(rows), (segment, *part, *filling))


@lru_cache
def _statement(rows: int) -> str:
    columns = ", ".join(f'"{name}"' for name in ("segment", *_COLUMNS))
    row = f"({', '.join('?' * _WIDTH)})"
    return (
        f'INSERT OR REPLACE INTO "{HISTORY.name}" ({columns}) '
        f"SELECT ?, * FROM (VALUES {', '.join([row] * rows)}) WHERE column1 IS NOT NULL"
    )
