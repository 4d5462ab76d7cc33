"""The SQLite schema, made from the declared tables: what lies where in `tesserae.db`.

Each table holds its keys and the item as JSON text, clustered by key; the attributes of declared
indexes are generated columns, indexed only over the items that have them. The history's indexes
begin with a segment, a number that rises every few thousand items: a B-tree over all items costs a
random page for each index and placement (65 µs of CPU at 300,000 items and rising), a segment's
pages stay few and warm (19 µs and flat; bench/store.py). A lookup asks each segment.
"""

import sqlite3
from collections.abc import Iterator

from persistence.items import MAX_ITEM_BYTES
from persistence.ports import Index, Table
from persistence.tables import ALL, HISTORY

APPLICATION_ID = 0x54455353
"""`TESS`, in the header of the file."""
FORMAT = 1
"""`user_version`: raised when the schema changes."""
SEGMENT_ITEMS = 16_384

_HISTORY_INDEX_COLUMNS = {
    "XOriginalIndex": ("PK", "segment", "x_original", "y_original", "SK"),
    "UserIndex": ("segment", "userId", "SK"),
}


def create(connection: sqlite3.Connection) -> None:
    """Make all tables in one transaction, so that a file has either everything or nothing."""
    connection.execute("BEGIN IMMEDIATE")
    connection.execute(f"PRAGMA application_id = {APPLICATION_ID}")
    connection.execute(f"PRAGMA user_version = {FORMAT}")
    for table in ALL:
        for statement in statements(table):
            connection.execute(statement)
    connection.execute("COMMIT")


def statements(table: Table) -> Iterator[str]:
    """Yield the statements that make one table and its indexes."""
    columns = [
        f'"{table.partition}" TEXT NOT NULL',
        f'"{table.sort}" TEXT NOT NULL',
        f"item TEXT NOT NULL CHECK (length(item) <= {MAX_ITEM_BYTES})",
    ]
    if table is HISTORY:
        columns.append("segment INTEGER NOT NULL DEFAULT 0")
    columns += [_generated(name) for name in _generated_names(table)]
    columns.append(f'PRIMARY KEY ("{table.partition}", "{table.sort}")')
    yield f'CREATE TABLE "{table.name}" ({", ".join(columns)}) WITHOUT ROWID'
    for index in table.indexes:
        yield _index(table, index.name, _index_columns(table, index), index)
    if table.ttl is not None:
        yield (
            f'CREATE INDEX "{table.name}_ttl" ON "{table.name}" ("{table.ttl}") '
            f'WHERE "{table.ttl}" IS NOT NULL'
        )


def _generated(name: str) -> str:
    return f"\"{name}\" GENERATED ALWAYS AS (json_extract(item, '$.{name}')) VIRTUAL"


def _generated_names(table: Table) -> list[str]:
    names = [name for index in table.indexes for name in _index_columns(table, index)]
    if table.ttl is not None:
        names.append(table.ttl)
    return [
        name
        for name in dict.fromkeys(names)
        if name not in (table.partition, table.sort, "segment")
    ]


def _index_columns(table: Table, index: Index) -> tuple[str, ...]:
    plain = (index.partition, index.sort)
    return _HISTORY_INDEX_COLUMNS[index.name] if table is HISTORY else plain


def _index(table: Table, name: str, columns: tuple[str, ...], index: Index) -> str:
    keys = (table.partition, table.sort)
    needed = [part for part in (index.partition, index.sort) if part not in keys]
    listed = ", ".join(f'"{column}"' for column in columns)
    present = " AND ".join(f'"{part}" IS NOT NULL' for part in needed)
    return f'CREATE INDEX "{name}" ON "{table.name}" ({listed}) WHERE {present}'
