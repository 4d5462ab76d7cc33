"""The operating system's lock on a data directory: one writer, free the moment it dies.

The lock is on an open file, so kill -9 frees it; what the file says only names the holder to whom
comes second. The file is never deleted: a third process could lock a new one beside it.
"""

import json
import os
import socket
import sys
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from persistence.embedded.disk import fault_of
from persistence.errors import StoreInUse

LOCK_NAME = "lock"


class DirectoryLock:
    """The right to write to one data directory, held by this process or not."""

    def __init__(self, data_dir: Path) -> None:
        self._path = data_dir / LOCK_NAME
        self._file: int | None = None
        self._holder: dict[str, Any] = {}

    @property
    def held(self) -> bool:
        """Whether this process has it."""
        return self._file is not None

    def acquire(self, since_ms: int) -> None:
        """Take the lock, or keep it. Raises StoreInUse naming the holder, PermanentFault."""
        if self._file is not None:
            return
        try:
            file = os.open(self._path, os.O_RDWR | os.O_CREAT, 0o644)
        except OSError as error:
            raise fault_of(error, self._path) from error
        try:
            _lock(file)
            holder = {"pid": os.getpid(), "host": socket.gethostname(), "sinceMs": since_ms}
            _replace(file, holder)
        except BlockingIOError as error:
            os.close(file)
            raise self._in_use() from error
        except OSError as error:
            os.close(file)
            raise fault_of(error, self._path) from error
        self._file = file
        self._holder = holder

    def tell(self, url: str) -> None:
        """Note where the holder is reached, for whoever finds the directory in use."""
        if self._file is not None:
            with suppress(OSError):  # a disk that is full just now is no reason not to serve
                _replace(self._file, {**self._holder, "url": url})

    def release(self) -> None:
        """Give the lock back; harmless when it is not held."""
        if self._file is not None:
            os.close(self._file)
            self._file = None

    def _in_use(self) -> StoreInUse:
        holder = _holder(self._path.read_bytes())
        return StoreInUse(
            f"{self._path.parent} is in use by {holder.words}",
            "stop that process, or choose another directory with --data",
            url=holder.url,
        )


@dataclass(frozen=True, slots=True)
class LockHolder:
    """Who holds a directory's lock, as far as its file tells."""

    owner: str
    since_ms: int | None = None
    url: str = ""

    @property
    def words(self) -> str:
        """Say who it is, and since when."""
        if self.since_ms is None:
            return self.owner
        return f"{self.owner} since {_utc(self.since_ms):%Y-%m-%d %H:%M:%S} UTC"


def holder_of(data_dir: Path) -> LockHolder | None:
    """Look who holds the lock, None when nobody does; nothing is written. Raises PermanentFault.

    The system tells only whoever tries to lock. Lookers share the lock, for some microseconds: a
    server that starts within them is refused, as it would be by another server.
    """
    path = data_dir / LOCK_NAME
    try:
        file = os.open(path, os.O_RDONLY)
    except FileNotFoundError:
        return None
    except OSError as error:
        raise fault_of(error, path) from error
    try:
        _look(file)
    except BlockingIOError:
        return _holder(path.read_bytes())
    finally:
        os.close(file)
    return None


def _holder(content: bytes) -> LockHolder:
    """Read the lock's file, which may be half written."""
    try:
        told: dict[str, Any] = json.loads(content)
        url = told.get("url", "")
        holder = LockHolder(
            f"process {told['pid']} on {told['host']}",
            told["sinceMs"],
            url if isinstance(url, str) else "",
        )
        _utc(told["sinceMs"])
    except (ValueError, KeyError, TypeError, AttributeError, OverflowError, OSError):
        return LockHolder("another process")
    return holder


def _utc(ms: int) -> datetime:
    return datetime.fromtimestamp(ms / 1000, UTC)


def _replace(file: int, holder: dict[str, Any]) -> None:
    os.lseek(file, 0, os.SEEK_SET)
    os.ftruncate(file, 0)
    os.write(file, json.dumps(holder).encode())


if sys.platform == "win32":
    import msvcrt

    def _lock(file: int) -> None:
        """Lock a byte far behind the content, which stays readable; closing unlocks."""
        os.lseek(file, 1 << 30, os.SEEK_SET)
        try:
            msvcrt.locking(file, msvcrt.LK_NBLCK, 1)
        except OSError as error:
            raise BlockingIOError(*error.args) from error
        os.lseek(file, 0, os.SEEK_SET)

    _look = _lock

else:
    import fcntl

    def _lock(file: int) -> None:
        """Lock the file for as long as it is open."""
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)

    def _look(file: int) -> None:
        """Lock the file beside others who look."""
        fcntl.flock(file, fcntl.LOCK_SH | fcntl.LOCK_NB)
