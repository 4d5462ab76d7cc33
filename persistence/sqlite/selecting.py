"""Pages of the tables on SQLite: a selection in an order, read on from where the page before ended.

Filters are looked at here, by the rules that conditions have, so that they mean what they mean in
every store. Called by tables.py, and runs in the reader's thread.
"""

# ruff: noqa: S608 - statements hold declared names and constants only; values are bound

import sqlite3
from collections.abc import Sequence
from typing import Any, NamedTuple

from persistence.items import holds
from persistence.ports import Condition, Index, Item, Table
from persistence.sqlite.reader import fetch

CHUNK_ITEMS = 1000
"""Of one statement where a filter is looked at."""
MAX_CHUNKS = 32
"""Of one page, of which a filter may leave little."""


class Found(NamedTuple):
    """What was read, and the last place that was looked at (None: there is no more)."""

    items: list[Item]
    last: Item | None


class Select:
    """A selection under construction: bounds with their values."""

    def __init__(self, table: Table, now_s: int) -> None:
        self._table = table
        self._bounds: list[str] = []
        self._arguments: list[Any] = []
        if table.ttl is not None:
            self._bounds.append(alive(table))
            self._arguments.append(now_s)

    def where(self, name: str, operator: str, value: Any) -> None:
        """Narrow it."""
        self._bounds.append(f'"{name}" {operator} ?')
        self._arguments.append(_bindable(value))

    def present(self, name: str) -> None:
        """Leave out what does not have the attribute."""
        self._bounds.append(f'"{name}" IS NOT NULL')

    def after(
        self, columns: Sequence[str], place: Item | None, *, ascending: bool
    ) -> tuple[str, list[Any]]:
        """Return the statement for what comes after a place, without its limit, and arguments."""
        bounds, arguments = list(self._bounds), list(self._arguments)
        if place is not None:
            row, marks = _listed(columns), ", ".join("?" * len(columns))
            bounds.append(f"({row}) {'>' if ascending else '<'} ({marks})")
            arguments += [_bindable(place[name]) for name in columns]
        order = _listed(columns, " ASC" if ascending else " DESC")
        narrowed = f" WHERE {' AND '.join(bounds)}" if bounds else ""
        return f'SELECT item FROM "{self._table.name}"{narrowed} ORDER BY {order}', arguments


class Reading(NamedTuple):
    """A selection, its order, and what is left of its items."""

    select: Select
    columns: tuple[str, ...]
    limit: int
    ascending: bool = True
    filter: Condition | None = None
    projected: frozenset[str] | None = None
    """Attributes that are given; None: all."""

    def page(self, connection: sqlite3.Connection, place: Item | None) -> Found:
        """Read up to the limit after a place."""
        items: list[Item] = []
        size = self.limit if self.filter is None else max(self.limit, CHUNK_ITEMS)
        for _ in range(MAX_CHUNKS):
            text, arguments = self.select.after(self.columns, place, ascending=self.ascending)
            chunk = fetch(connection, text, arguments, size)
            for whole in chunk.items:
                place, item = whole, self._given(whole)
                if self.filter is None or holds(self.filter, item):
                    items.append(item)
                if len(items) == self.limit:
                    return Found(items, place)
            if not chunk.more:
                return Found(items, None)
        return Found(items, place)

    def _given(self, item: Item) -> Item:
        names = self.projected
        return item if names is None else {name: item[name] for name in item if name in names}


def index_columns(table: Table, index: Index) -> tuple[str, ...]:
    """Return the order of an index, down to the last item."""
    return tuple(dict.fromkeys((index.sort, table.partition, table.sort)))


def projection(table: Table, index: Index) -> frozenset[str] | None:
    """Return the attributes that an index has; None: all."""
    if index.include is None:
        return None
    keys = (table.partition, table.sort, index.partition, index.sort)
    return frozenset({*keys, *index.include})


def alive(table: Table) -> str:
    """Return the bound of what has not expired; its argument is the time, in seconds."""
    return f'("{table.ttl}" IS NULL OR "{table.ttl}" > ?)'


def _listed(columns: Sequence[str], suffix: str = "") -> str:
    return ", ".join(f'"{name}"{suffix}' for name in columns)


def _bindable(value: Any) -> Any:
    """Return what SQLite can compare with: it keeps integers beyond 63 bits as reals."""
    return float(value) if isinstance(value, int) and value.bit_length() > 63 else value  # noqa: PLR2004
