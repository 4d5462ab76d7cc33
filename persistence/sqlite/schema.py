"""The SQLite schema, made from the declared tables: what lies where in `tesserae.db`.

Each table holds its keys and the item as JSON text, clustered by key; attributes of declared
indexes get a column beside it, filled by `insert`. Plain columns, not generated ones: SQLite never
takes an index over generated columns for covering, which makes a scan of an area 14 times dearer.
The history's indexes begin with a segment, a number that rises every few thousand items: a B-tree
over all items costs a random page for each index and placement (65 µs of CPU at 300,000 items, and
rising), a segment's pages stay few and warm (19 µs, and flat). A lookup asks segment after segment,
and a small table says which times each of them spans: mostly one after the other, yet items may be
committed late, or again.
"""

import sqlite3
from collections.abc import Iterator

from persistence.items import MAX_ITEM_BYTES
from persistence.ports import Index, Table
from persistence.tables import ALL, HISTORY

APPLICATION_ID = 0x54455353
"""`TESS`, in the header of the file."""
FORMAT = 2
"""`user_version`: raised when the schema changes."""
OLDEST_FORMAT = 1
"""What `upgrade` can still bring to the present one."""
SEGMENT_ITEMS = 4096
"""Fewer make commits cheaper (14 µs an item at 1,024, 33 at 16,384), more make lookups cheaper: the
first placement of a cell is sought in each segment (bench/store.py)."""
UNSORTED_SEGMENT = 0
"""Of items that come one by one, and not by the journal."""

_HISTORY_INDEX_COLUMNS = {
    "XOriginalIndex": ("PK", "segment", "x_original", "y_original", "SK"),
    "UserIndex": ("segment", "userId", "SK"),
}


_SEGMENTS = (
    """CREATE TABLE history_segments
    (segment INTEGER PRIMARY KEY, first TEXT NOT NULL, last TEXT NOT NULL)""",
    "CREATE INDEX history_segments_last ON history_segments (last, first)",
)
_FILL_SEGMENTS = """
INSERT INTO history_segments SELECT segment, min(SK), max(SK) FROM history GROUP BY segment"""
_NOTE_SEGMENT = """
INSERT INTO history_segments VALUES (?, ?, ?) ON CONFLICT (segment) DO UPDATE
SET first = min(first, excluded.first), last = max(last, excluded.last)
WHERE excluded.first < first OR excluded.last > last"""


def create(connection: sqlite3.Connection) -> None:
    """Make all tables in one transaction, so that a file has either everything or nothing."""
    connection.execute("BEGIN IMMEDIATE")
    connection.execute(f"PRAGMA application_id = {APPLICATION_ID}")
    connection.execute(f"PRAGMA user_version = {FORMAT}")
    for table in ALL:
        for statement in statements(table):
            connection.execute(statement)
    for statement in _SEGMENTS:
        connection.execute(statement)
    connection.execute("COMMIT")


def upgrade(connection: sqlite3.Connection) -> None:
    """Bring a file of format 1 to format 2, in one transaction: it had no table of segments."""
    connection.execute("BEGIN IMMEDIATE")
    for statement in (*_SEGMENTS, _FILL_SEGMENTS, f"PRAGMA user_version = {FORMAT}"):
        connection.execute(statement)
    connection.execute("COMMIT")


def note_segment(connection: sqlite3.Connection, segment: int, first: str, last: str) -> None:
    """Widen what a segment spans; in the transaction that adds the items."""
    connection.execute(_NOTE_SEGMENT, (segment, first, last))


def statements(table: Table) -> Iterator[str]:
    """Yield the statements that make one table and its indexes."""
    columns = [
        f'"{table.partition}" TEXT NOT NULL',
        f'"{table.sort}" TEXT NOT NULL',
        f"item TEXT NOT NULL CHECK (length(item) <= {MAX_ITEM_BYTES})",
        *(f'"{name}"' for name in attributes(table)),
        *(["segment INTEGER NOT NULL"] if table is HISTORY else []),
        f'PRIMARY KEY ("{table.partition}", "{table.sort}")',
    ]
    yield f'CREATE TABLE "{table.name}" ({", ".join(columns)}) WITHOUT ROWID'
    for index in table.indexes:
        needed = (part for part in (index.partition, index.sort) if part in attributes(table))
        yield _index(table, index.name, _index_columns(table, index), *needed)
    if table.ttl is not None:
        yield _index(table, f"{table.name}_ttl", (table.ttl,), table.ttl)


def insert(table: Table) -> str:
    """Return the statement that puts a JSON array of items (?1), into a segment (?2, history).

    SQLite takes the array apart itself, so that many items are one step: a step takes the
    interpreter's lock, and beside a busy loop each of these waits for 5 ms.
    """
    names = [table.partition, table.sort, *attributes(table)]
    columns = [f'"{name}"' for name in names] + ["item"]
    values = [f"json_extract(value, '$.{name}')" for name in names] + ["value"]
    if table is HISTORY:
        columns.append("segment")
        values.append("?2")
    return (
        f'INSERT OR REPLACE INTO "{table.name}" ({", ".join(columns)}) '  # noqa: S608 - declared names
        f"SELECT {', '.join(values)} FROM json_each(?1)"
    )


def attributes(table: Table) -> list[str]:
    """Return the attributes that have a column of their own."""
    names = [name for index in table.indexes for name in _index_columns(table, index)]
    names += [table.ttl] if table.ttl is not None else []
    return [
        name
        for name in dict.fromkeys(names)
        if name not in (table.partition, table.sort, "segment")
    ]


def _index_columns(table: Table, index: Index) -> tuple[str, ...]:
    if table is HISTORY:
        return _HISTORY_INDEX_COLUMNS[index.name]
    return (index.partition, index.sort)


def _index(table: Table, name: str, columns: tuple[str, ...], *needed: str) -> str:
    """Return an index over the items that have what is needed."""
    listed = ", ".join(f'"{column}"' for column in columns)
    present = " AND ".join(f'"{attribute}" IS NOT NULL' for attribute in needed)
    return f'CREATE INDEX "{name}" ON "{table.name}" ({listed}) WHERE {present}'
