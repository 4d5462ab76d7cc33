"""Lookups in the history on SQLite, newest first: in an area, of a user, of whole partitions.

An index over the history begins with a segment (sqlite_schema.py), so a lookup goes from segment to
segment, the newest first, and ends when nothing that is left can be newer than what it has. One
call looks into `MAX_SEGMENTS` at most: its page may then be short, and its cursor goes on from
there. Each round is one statement, and rounds grow: a statement may wait 5 ms for the interpreter's
lock beside a busy loop. Pure but for the connection; called by the journal in the reader's thread.
"""

# ruff: noqa: S608 - statements hold constants only; values are bound

import sqlite3
from collections.abc import Sequence
from typing import Any, NamedTuple

import orjson

from persistence.errors import PermanentFault
from persistence.items import LAST_CHAR, key_of
from persistence.ports import Item, Key, Page, Rectangle
from persistence.sqlite_reader import fetch
from persistence.tables import HISTORY

MAX_SEGMENTS = 256
"""A million items: 60 ms where each segment holds thousands in a row of cells, else 2 ms."""
FIRST_ROUND = 1
ROUNDS_GROW = 8

# Those that reach the upper bound are all taken, so that each page gets below it.
_SEGMENTS = """
SELECT json_group_array(json_array(segment, last)) FROM (
  SELECT segment, last FROM history_segments WHERE last >= ?2 AND first <= ?2
  UNION ALL SELECT * FROM (
    SELECT segment, last FROM history_segments WHERE last < ?2 AND last > ?1
    ORDER BY last DESC LIMIT ?3)
  ORDER BY last DESC)"""
_IN_SPAN = "SK > ? AND SK <= ? AND (SK < ? OR PK < ?)"
_AREA = f"""
SELECT PK, SK FROM history INDEXED BY XOriginalIndex
WHERE PK IN (SELECT value FROM json_each(?)) AND segment IN (SELECT value FROM json_each(?))
AND x_original {{x_side}} AND y_original BETWEEN ? AND ? AND {_IN_SPAN}"""
_USER = f"""
SELECT PK, SK FROM history INDEXED BY UserIndex
WHERE segment IN (SELECT value FROM json_each(?)) AND userId = ? AND {_IN_SPAN}"""
_ITEMS = """
SELECT item FROM (SELECT * FROM ({keys}) ORDER BY SK DESC, PK DESC LIMIT ?) AS found
CROSS JOIN history USING (PK, SK) ORDER BY SK DESC, PK DESC"""
_PARTITION = f"SELECT PK, SK, item FROM history WHERE PK = ? AND {_IN_SPAN}"


class Span(NamedTuple):
    """Sort keys after `after`, up to `up_to`; of `up_to` itself only partitions before `below`."""

    after: str
    up_to: str
    below: str

    @classmethod
    def of(cls, after: str, up_to: str | None, cursor: str | None) -> "Span":
        """Join bounds and cursor. Raises PermanentFault for what is no cursor of ours."""
        bound = LAST_CHAR if up_to is None else up_to
        last = Key(LAST_CHAR, bound) if cursor is None else _position(cursor)
        return (
            cls(after, last.sort, last.partition)
            if last.sort <= bound
            else cls(after, bound, LAST_CHAR)
        )

    @property
    def arguments(self) -> tuple[str, str, str, str]:
        """What `_IN_SPAN` asks for."""
        return self.after, self.up_to, self.up_to, self.below


class Wanted(NamedTuple):
    """Which keys a lookup is after: a statement, and its arguments but for segments and span."""

    keys: str
    before: tuple[Any, ...]
    behind: tuple[Any, ...]


def in_area(partitions: Sequence[str], area: Rectangle) -> Wanted:
    """Look for an area; one column of cells is sought, more are scanned."""
    one = area.x1 == area.x2
    x_sides = (area.x1,) if one else (area.x1, area.x2)
    return Wanted(
        _AREA.format(x_side="= ?" if one else "BETWEEN ? AND ?"),
        (_json(partitions),),
        (*x_sides, area.y1, area.y2),
    )


def of_user(user_id: str) -> Wanted:
    """Look for a user, in all partitions."""
    return Wanted(_USER, (), (user_id,))


class _Segment(NamedTuple):
    number: int
    last: str


class Lookup:
    """One page of a lookup by an index."""

    def __init__(self, wanted: Wanted, span: Span, limit: int) -> None:
        self._wanted = wanted
        self._span = span
        self._limit = limit
        self._items: list[Item] = []

    def page(self, connection: sqlite3.Connection) -> Page:
        """Read it."""
        segments, beyond = _segments(connection, self._span)
        seen, size = 0, FIRST_ROUND
        while seen < len(segments):
            self._take(connection, segments[seen : seen + size])
            seen, size = seen + size, size * ROUNDS_GROW
            left = segments[seen].last if seen < len(segments) else beyond
            if left is not None and self._is_settled(left):
                return Page(self._items, _cursor(self._items[-1]))
        if beyond is not None:
            return self._down_to(beyond)
        full = len(self._items) == self._limit
        return Page(self._items, _cursor(self._items[-1]) if full else None)

    def _take(self, connection: sqlite3.Connection, segments: Sequence[_Segment]) -> None:
        """Add what some segments hold; fewer than the limit are kept when items are large."""
        keys, before, behind = self._wanted
        numbers = _json([segment.number for segment in segments])
        arguments = (*before, numbers, *behind, *self._span.arguments, self._limit)
        items, more = fetch(connection, _ITEMS.format(keys=keys), arguments, self._limit)
        if more:
            self._limit = len(items)
        both = sorted([*self._items, *items], key=_order, reverse=True)
        self._items = both[: self._limit]

    def _is_settled(self, last: str) -> bool:
        """Whether the page is full, and nothing up to `last` belongs into it."""
        return len(self._items) == self._limit and self._items[-1]["SK"] > last

    def _down_to(self, last: str) -> Page:
        """Give what is newer than all that was not looked into."""
        settled = [item for item in self._items if item["SK"] > last]
        return Page(settled, _json([LAST_CHAR, last]))


def newest(
    connection: sqlite3.Connection, partitions: Sequence[str], span: Span, limit: int
) -> Page:
    """Read the newest items of whole partitions."""
    select = " UNION ALL ".join([_PARTITION] * len(partitions)) + " ORDER BY SK DESC, PK DESC"
    arguments = [part for name in partitions for part in (name, *span.arguments)]
    items, more = fetch(connection, select, arguments, limit)
    return Page(items, _cursor(items[-1]) if more else None)


def _segments(connection: sqlite3.Connection, span: Span) -> tuple[list[_Segment], str | None]:
    """Return the segments to look into, the newest first, and where those end that are left out."""
    arguments = (span.after, span.up_to, MAX_SEGMENTS + 1)
    listed = orjson.loads(connection.execute(_SEGMENTS, arguments).fetchone()[0])
    segments = [_Segment(number, last) for number, last in listed]
    taken = MAX_SEGMENTS + sum(segment.last >= span.up_to for segment in segments)
    return segments[:taken], segments[taken].last if taken < len(segments) else None


def _order(item: Item) -> tuple[str, str]:
    return item["SK"], item["PK"]


def _cursor(item: Item) -> str:
    return _json(key_of(HISTORY, item))


def _position(cursor: str) -> Key:
    """Return where a page ended. Raises PermanentFault for what is no cursor of ours."""
    try:
        parts = orjson.loads(cursor)
    except ValueError:
        parts = None
    if isinstance(parts, list) and [type(part) for part in parts] == [str, str]:
        return Key(*parts)
    raise PermanentFault("no cursor of this store", "begin without a cursor")


def _json(values: Sequence[Any]) -> str:
    return orjson.dumps(list(values)).decode()
