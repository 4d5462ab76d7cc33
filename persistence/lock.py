"""The operating system's lock on a data directory: one writer, free the moment it dies.

The lock is on an open file, so kill -9 frees it; what the file says only names the holder to whom
comes second. The file is never deleted: a third process could lock a new one beside it.
"""

import json
import os
import socket
import sys
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from persistence.disk import fault_of
from persistence.errors import StoreInUse

LOCK_NAME = "lock"


class DirectoryLock:
    """The right to write to one data directory, held by this process or not."""

    def __init__(self, data_dir: Path) -> None:
        self._path = data_dir / LOCK_NAME
        self._file: int | None = None

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
            _replace(file, json.dumps(holder).encode())
        except BlockingIOError as error:
            os.close(file)
            raise self._in_use() from error
        except OSError as error:
            os.close(file)
            raise fault_of(error, self._path) from error
        self._file = file

    def release(self) -> None:
        """Give the lock back; harmless when it is not held."""
        if self._file is not None:
            os.close(self._file)
            self._file = None

    def _in_use(self) -> StoreInUse:
        return StoreInUse(
            f"{self._path.parent} is in use by {_described(self._path.read_bytes())}",
            "stop that process, or choose another directory with --data",
        )


def _described(content: bytes) -> str:
    """Say who holds the lock, as far as its file tells: it may be half written."""
    try:
        holder: dict[str, Any] = json.loads(content)
        since = datetime.fromtimestamp(holder["sinceMs"] / 1000, UTC)
        return f"process {holder['pid']} on {holder['host']} since {since:%Y-%m-%d %H:%M:%S} UTC"
    except (ValueError, KeyError, TypeError, OverflowError, OSError):
        return "another process"


def _replace(file: int, content: bytes) -> None:
    os.ftruncate(file, 0)
    os.write(file, content)


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

else:
    import fcntl

    def _lock(file: int) -> None:
        """Lock the file for as long as it is open."""
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
