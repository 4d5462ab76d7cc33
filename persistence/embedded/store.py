"""The embedded store: one data directory with `tesserae.db`, `blobs/` and `lock`.

Composes the adapters and owns their order: lock, look, open, and the reverse. A store opened with
`read_only` takes no lock and works beside a running server; its writes raise PermanentFault.
"""

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import AsyncExitStack, asynccontextmanager
from pathlib import Path

from persistence.embedded.disk import make_directory, translated
from persistence.embedded.files import FileBlobs
from persistence.embedded.lock import DirectoryLock, holder_of
from persistence.errors import LeaseLost, PermanentFault, StoreDamaged
from persistence.ports import Holding, Key, Store, Tables, Update
from persistence.sqlite.journal import SqliteJournal, last_segment
from persistence.sqlite.open import open_beside, open_reader, open_writer
from persistence.sqlite.reader import Reader
from persistence.sqlite.tables import SqliteTables
from persistence.sqlite.writer import Writer
from persistence.tables import MAIN

DATABASE_NAME = "tesserae.db"
BLOBS_NAME = "blobs"
LEASE_KEY = Key("LEASE", "embedded")


class EmbeddedLease:
    """The `Lease` port: the directory's lock, and a fence counted in the main table."""

    def __init__(
        self,
        data_dir: Path,
        lock: DirectoryLock | None,
        tables: Tables,
        wall_ms: Callable[[], int],
    ) -> None:
        self._data_dir = data_dir
        self._lock = lock
        self._tables = tables
        self._wall_ms = wall_ms

    async def acquire(self, *, above: int = 0) -> int:
        """Return the next fence; takes the lock again after a release. Raises StoreInUse."""
        if self._lock is None:
            raise PermanentFault("the store was opened for reading", "open it for writing")
        self._lock.acquire(self._wall_ms())
        fence = max(above, await self._last_fence()) + 1
        await self._tables.write(Update(MAIN, LEASE_KEY, set={"fence": fence}))
        return fence

    def valid(self) -> bool:
        """Whether the directory's lock is held."""
        return self._lock is not None and self._lock.held

    async def lost(self) -> LeaseLost:
        """Never return: the system takes the lock from a process only with its life."""
        never: asyncio.Future[LeaseLost] = asyncio.get_running_loop().create_future()
        return await never

    async def tell(self, url: str) -> None:
        """Note in the lock's file where the holder is reached."""
        if self._lock is not None:
            self._lock.tell(url)

    async def look(self) -> Holding:
        """Say which process has the directory."""
        fence = await self._last_fence()
        holder = await asyncio.to_thread(holder_of, self._data_dir)
        if holder is None:
            return Holding(fence)
        return Holding(fence, holder.owner, holder.url, since_ms=holder.since_ms)

    async def release(self) -> None:
        """Free the directory for another process."""
        if self._lock is not None:
            self._lock.release()

    async def _last_fence(self) -> int:
        found = await self._tables.get(MAIN, LEASE_KEY)
        return 0 if found is None else int(found.get("fence", 0))


@asynccontextmanager
async def open_embedded(
    data_dir: Path, *, wall_ms: Callable[[], int], read_only: bool = False
) -> AsyncIterator[Store]:
    """Open the store in `data_dir`, which is made when it is not there.

    Raises StoreInUse naming the holder, StoreDamaged with nothing changed, PermanentFault with the
    remedy (a directory that cannot be made or written, no store to read).
    """
    async with AsyncExitStack() as stack:
        lock = None
        if not read_only:
            lock = await asyncio.to_thread(_locked, data_dir, wall_ms())
            stack.callback(lock.release)
        yield await _open(data_dir, lock, wall_ms, stack)


def _locked(data_dir: Path, now_ms: int) -> DirectoryLock:
    with translated(data_dir):
        make_directory(data_dir)
    lock = DirectoryLock(data_dir)
    lock.acquire(now_ms)
    return lock


async def _open(
    data_dir: Path,
    lock: DirectoryLock | None,
    wall_ms: Callable[[], int],
    stack: AsyncExitStack,
) -> Store:
    path = data_dir / DATABASE_NAME
    blobs = FileBlobs(data_dir / BLOBS_NAME)
    stack.push_async_callback(blobs.close)
    if await asyncio.to_thread(_is_new, path):
        _check_new(path, await blobs.list(""))
    if lock is not None:
        await blobs.remove_leftovers()
    opened = open_beside if lock is None else open_writer
    writer = Writer(await asyncio.to_thread(opened, path), path)
    stack.push_async_callback(writer.close)
    beside = open_beside if lock is None else open_reader
    lookups, scans = [Reader(await asyncio.to_thread(beside, path), path) for _ in range(2)]
    stack.push_async_callback(lookups.close)
    stack.push_async_callback(scans.close)
    tables = SqliteTables(writer, lookups, wall_ms)
    journal = SqliteJournal(writer, scans, await lookups.run(last_segment), wall_ms)
    return Store(tables, journal, blobs, EmbeddedLease(data_dir, lock, tables, wall_ms))


def _is_new(path: Path) -> bool:
    """Return whether SQLite would begin a database here: also in an empty file."""
    return not path.exists() or path.stat().st_size == 0


def _check_new(path: Path, blob_keys: list[str]) -> None:
    """Refuse to begin a new history beside the snapshots of an old one."""
    if blob_keys:
        raise StoreDamaged(
            f"{path} is gone or empty, but {path.parent / BLOBS_NAME} holds {len(blob_keys)} blobs",
            "put the whole directory back from a backup, then run `tesserae epoch new`; or choose"
            " another directory with --data",
        )
