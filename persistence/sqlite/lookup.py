"""Lookups in the history on SQLite, newest first: in an area, of a user, of whole partitions.

An index over the history begins with a segment (sqlite/schema.py), so a lookup walks from segment
to segment, the newest first, until nothing that is left can be newer than what it has. One call
looks into `MAX_SEGMENTS` at most: its page may then be short, and its cursor goes on from there.
A walk is one statement: each may wait 5 ms for the interpreter's lock beside a busy loop. Pure but
for the connection; called by the journal in the reader's thread.
"""

import sqlite3
from collections.abc import Sequence
from typing import Any, NamedTuple

import orjson

from persistence.errors import PermanentFault
from persistence.items import LAST_CHAR, key_of
from persistence.ports import Item, Key, Lookback, Page, Rectangle
from persistence.sqlite.reader import fetch
from persistence.tables import HISTORY

MAX_SEGMENTS = 256
"""A million items: 100 ms where the area is whole rows without a placement, 2 ms for a cell."""

# Those that reach the upper bound are all taken, so that each page gets below it.
_SEGMENTS = """
SELECT json_group_array(json_array(segment, last)) FROM (
  SELECT segment, last FROM history_segments WHERE last >= ?2 AND first <= ?2
  UNION ALL SELECT * FROM (
    SELECT segment, last FROM history_segments WHERE last < ?2 AND last > ?1
    ORDER BY last DESC LIMIT ?3)
  ORDER BY last DESC)"""
# A row holds the newest keys of one segment, and how many the rows before it have found.
_WALK = """
WITH RECURSIVE walk (place, found, keys) AS (
  VALUES (:place, 0, '[]')
  UNION ALL
  SELECT place + 1, found + json_array_length(keys), (
    SELECT json_group_array(json_array(SK, PK)) FROM (
      SELECT SK, PK FROM history INDEXED BY {name}
      WHERE {where} AND segment = json_extract(:segments, '$[' || place || ']')
      AND SK > :after AND SK <= :up_to AND (SK < :up_to OR PK < :below)
      ORDER BY SK DESC, PK DESC LIMIT :limit))
  FROM walk WHERE place < :end AND found + json_array_length(keys) < :limit)
SELECT json_array(max(place), json_group_array(json(keys))) FROM walk"""
_ITEMS = """
SELECT item FROM json_each(?) AS wanted CROSS JOIN history
ON SK = json_extract(wanted.value, '$[0]') AND PK = json_extract(wanted.value, '$[1]')
ORDER BY SK DESC, PK DESC"""
_PARTITION = """
SELECT PK, SK, item FROM history
WHERE PK = ? AND SK > ? AND SK <= ? AND (SK < ? OR PK < ?)"""


class Span(NamedTuple):
    """Sort keys after `after`, up to `up_to`; of `up_to` itself only partitions before `below`."""

    after: str
    up_to: str
    below: str

    @classmethod
    def of(cls, look: Lookback) -> "Span":
        """Join bounds and cursor. Raises PermanentFault for what is no cursor of ours."""
        bound = LAST_CHAR if look.up_to is None else look.up_to
        last = Key(LAST_CHAR, bound) if look.cursor is None else _position(look.cursor)
        return (
            cls(look.after, last.sort, last.partition)
            if last.sort <= bound
            else cls(look.after, bound, LAST_CHAR)
        )


class Wanted(NamedTuple):
    """Which placements a lookup is after."""

    name: str
    """Of the index."""
    where: str
    values: dict[str, Any]


def in_area(partitions: Sequence[str], area: Rectangle) -> Wanted:
    """Look for an area; one column of cells is sought, more are scanned."""
    return Wanted(
        "XOriginalIndex",
        " AND ".join((_of(partitions), _side("x", area.x1, area.x2), _side("y", area.y1, area.y2))),
        {
            "partitions": partitions[0] if len(partitions) == 1 else _json(partitions),
            "x1": area.x1,
            "x2": area.x2,
            "y1": area.y1,
            "y2": area.y2,
        },
    )


def of_user(user_id: str) -> Wanted:
    """Look for a user, in all partitions."""
    return Wanted("UserIndex", "userId = :user", {"user": user_id})


# Equal where it can be, so that the index gives its keys in order.


def _of(partitions: Sequence[str]) -> str:
    one = len(partitions) == 1
    return "PK = :partitions" if one else "PK IN (SELECT value FROM json_each(:partitions))"


def _side(axis: str, first: int, last: int) -> str:
    bound = f"= :{axis}1" if first == last else f"BETWEEN :{axis}1 AND :{axis}2"
    return f"{axis}_original {bound}"


class _Segment(NamedTuple):
    number: int
    last: str


_Sorted = tuple[str, str]
"""SK and PK, in the order of a page."""


class Lookup:
    """One page of a lookup by an index."""

    def __init__(self, wanted: Wanted, span: Span, limit: int) -> None:
        self._wanted = wanted
        self._span = span
        self._limit = limit

    def page(self, connection: sqlite3.Connection) -> Page:
        """Read it."""
        segments, beyond = _segments(connection, self._span)
        numbers = _json([segment.number for segment in segments])
        keys, place = list[_Sorted](), 0
        while place < len(segments):
            place, found = self._walk(connection, numbers, place, len(segments))
            keys = sorted([*keys, *found], reverse=True)[: self._limit]
            left = segments[place].last if place < len(segments) else beyond
            if len(keys) == self._limit and (left is None or keys[-1][0] > left):
                return self._page_of(connection, keys, _cursor(keys[-1]))
        if beyond is None:
            return self._page_of(connection, keys, None)
        settled = [key for key in keys if key[0] > beyond]
        return self._page_of(connection, settled, _cursor((beyond, LAST_CHAR)))

    def _walk(
        self, connection: sqlite3.Connection, numbers: str, place: int, end: int
    ) -> tuple[int, list[_Sorted]]:
        """Look on from a place until a page is full; returns the place after it."""
        name, where, values = self._wanted
        named = {"segments": numbers, "place": place, "end": end, "limit": self._limit}
        text = _WALK.format(name=name, where=where)
        row = connection.execute(text, values | named | self._span._asdict()).fetchone()
        after, found = orjson.loads(row[0])
        return after, [(sort, partition) for keys in found for sort, partition in keys]

    def _page_of(
        self, connection: sqlite3.Connection, keys: Sequence[_Sorted], cursor: str | None
    ) -> Page:
        """Read the items; fewer than there are keys when they are large."""
        items, _ = fetch(connection, _ITEMS, (_json(keys),), max(1, len(keys)))
        shorter = len(items) < len(keys)
        return Page(items, _cursor_after(items[-1]) if shorter else cursor)


def newest(
    connection: sqlite3.Connection, partitions: Sequence[str], span: Span, limit: int
) -> Page:
    """Read the newest items of whole partitions."""
    select = " UNION ALL ".join([_PARTITION] * len(partitions)) + " ORDER BY SK DESC, PK DESC"
    bounds = (span.after, span.up_to, span.up_to, span.below)
    arguments = [part for name in partitions for part in (name, *bounds)]
    items, more = fetch(connection, select, arguments, limit)
    return Page(items, _cursor_after(items[-1]) if more else None)


def _segments(connection: sqlite3.Connection, span: Span) -> tuple[list[_Segment], str | None]:
    """Return the segments to look into, the newest first, and where those end that are left out."""
    arguments = (span.after, span.up_to, MAX_SEGMENTS + 1)
    listed = orjson.loads(connection.execute(_SEGMENTS, arguments).fetchone()[0])
    segments = [_Segment(number, last) for number, last in listed]
    taken = MAX_SEGMENTS + sum(segment.last >= span.up_to for segment in segments)
    return segments[:taken], segments[taken].last if taken < len(segments) else None


def _cursor(key: _Sorted) -> str:
    return _json(key)


def _cursor_after(item: Item) -> str:
    partition, sort = key_of(HISTORY, item)
    return _cursor((sort, partition))


def _position(cursor: str) -> Key:
    """Return where a page ended. Raises PermanentFault for what is no cursor of ours."""
    try:
        parts = orjson.loads(cursor)
    except ValueError:
        parts = None
    if isinstance(parts, list) and [type(part) for part in parts] == [str, str]:
        return Key(sort=parts[0], partition=parts[1])
    raise PermanentFault("no cursor of this store", "begin without a cursor")


def _json(values: Sequence[Any]) -> str:
    return orjson.dumps(list(values)).decode()
