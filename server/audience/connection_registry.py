"""The connection registry: keeps a row in the store for every open connection, written behind.

Owns what each row should say, which of them are still to be written, and which are there. Sessions
say what has changed and never wait; `run` writes, a few at a time, so that what is durable for
players comes first. Whatever a process that died has left under this endpoint goes at the start.
"""

import asyncio
from collections.abc import Awaitable, Callable, Mapping, Sequence
from contextlib import suppress
from itertools import islice
from typing import NamedTuple

from persistence.errors import StoreError
from persistence.ports import Condition, Tables
from persistence.tables import MAIN
from server.audience.connection_rows import LIFETIME_S, PARTITION, Entry, key_of, row_of

WRITE_EVERY = 1.0
"""Seconds: who comes, subscribes and goes within one is written once, or never."""
BATCH = 100
PAUSE = 0.02
"""Seconds between two batches, in which the store is the journal's."""
RETRY = 5.0
RENEW_AFTER_S = LIFETIME_S // 2
"""Rows of connections that stay are written again long before they count as dead."""
LOOK_EVERY = 600.0
"""Seconds after which the age of rows is looked at although nobody came or went."""
MS = 1000


class _Written(NamedTuple):
    entry: Entry
    at_s: int


class ConnectionRegistry:
    """The rows of this process."""

    def __init__(
        self, tables: Tables, wall_ms: Callable[[], int], on_fault: Callable[[str, Exception], None]
    ) -> None:
        self._tables = tables
        self._wall_ms = wall_ms
        self._on_fault = on_fault
        self._endpoint = ""
        self._due: dict[str, Entry | None] = {}
        """What is to be written, in the order in which it was first said; None: to be removed."""
        self._written: dict[str, _Written] = {}
        """What is there, or may be, oldest writing first."""
        self._changed = asyncio.Event()

    # --- what sessions say ---------------------------------------------------

    def note(self, connection_id: str, entry: Entry) -> None:
        """Say what a connection is from now on."""
        self._due[connection_id] = entry
        self._changed.set()

    def forget(self, connection_id: str) -> None:
        """Say that a connection is gone; one that was never written costs nothing."""
        if connection_id in self._written:
            self._due[connection_id] = None
            self._changed.set()
        else:
            self._due.pop(connection_id, None)

    @property
    def behind(self) -> int:
        """How many rows are still to be written or removed."""
        return len(self._due)

    # --- what is written -----------------------------------------------------

    async def run(self, endpoint: str) -> None:
        """Clear what was left under this endpoint, then write what changes, until cancelled."""
        self._endpoint = endpoint
        await self._until_done(self._clear_leftovers)
        while True:
            await self._wait()
            self._renew()
            await self._until_done(self.flush)

    async def flush(self) -> None:
        """Write what is due by now. Raises StoreError; what was not written stays due."""
        self._changed.clear()
        left = len(self._due)
        while left > 0 and self._due:
            batch = dict(islice(self._due.items(), BATCH))
            left -= len(batch)
            await self._write(batch)
            await asyncio.sleep(PAUSE)

    async def _write(self, batch: Mapping[str, Entry | None]) -> None:
        for connection_id in batch:
            del self._due[connection_id]
        try:
            await self._put({one: entry for one, entry in batch.items() if entry is not None})
            await self._remove([one for one, entry in batch.items() if entry is None])
        except StoreError:
            # Written or not: what was said meanwhile counts, and else the same once more.
            self._due = {**batch, **self._due}
            self._changed.set()
            raise

    async def _put(self, entries: Mapping[str, Entry]) -> None:
        if not entries:
            return
        now_s = self._wall_ms() // MS
        for connection_id, entry in entries.items():
            # Before it is there: whoever goes meanwhile is to be removed again.
            self._written.pop(connection_id, None)
            self._written[connection_id] = _Written(entry, now_s)
        rows = [row_of(one, entry, self._endpoint, now_s) for one, entry in entries.items()]
        await self._tables.put_many(MAIN, rows)

    async def _remove(self, connection_ids: Sequence[str]) -> None:
        if not connection_ids:
            return
        await self._tables.delete_many(MAIN, [key_of(one) for one in connection_ids])
        for connection_id in connection_ids:
            self._written.pop(connection_id, None)

    async def _clear_leftovers(self) -> None:
        """Remove all rows of this endpoint; nothing of this process is written yet."""
        ours = Condition(equals={"endpoint": self._endpoint})
        cursor: str | None = None
        while True:
            page = await self._tables.query(MAIN, PARTITION, where=ours, limit=BATCH, cursor=cursor)
            await self._remove([item["sk"] for item in page.items])
            cursor = page.cursor
            if cursor is None:
                return
            await asyncio.sleep(PAUSE)

    def _renew(self) -> None:
        written_by_s = self._wall_ms() // MS - RENEW_AFTER_S
        for connection_id, written in self._written.items():
            if written.at_s > written_by_s:
                return
            self._due.setdefault(connection_id, written.entry)

    async def _wait(self) -> None:
        with suppress(TimeoutError):
            async with asyncio.timeout(LOOK_EVERY):
                await self._changed.wait()
        await asyncio.sleep(WRITE_EVERY)

    async def _until_done(self, step: Callable[[], Awaitable[None]]) -> None:
        away = False
        while True:
            try:
                await step()
            except StoreError as fault:
                if not away:
                    self._on_fault("registering connections", fault)
                away = True
                await asyncio.sleep(RETRY)
            else:
                return
