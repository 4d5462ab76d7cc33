"""Whole tables, page by page, in any order; for whatever checks, backs up or copies a store."""

from collections.abc import AsyncIterator

from persistence.ports import Item, Table, Tables


async def pages_of(tables: Tables, table: Table, limit: int = 1000) -> AsyncIterator[list[Item]]:
    """Yield all items of a table. Raises StoreError."""
    page = await tables.scan(table, limit=limit)
    yield page.items
    while page.cursor is not None:
        page = await tables.scan(table, limit=limit, cursor=page.cursor)
        yield page.items
