"""Files and directories as a store needs them: durable, and with faults that tell the remedy.

Owns the mapping from OSError and the fsync of directories; knows no format. The lock, the blobs
and the opening of the embedded store use it.
"""

import errno
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from persistence.errors import PermanentFault, StoreError, TransientFault

_TRANSIENT = {
    errno.ENOSPC: "free some space; it is tried again by itself",
    errno.EDQUOT: "the disk quota of this user is used up: raise it; it is tried again by itself",
    errno.EFBIG: "files may not grow here: raise `ulimit -f`; it is tried again by itself",
    errno.EIO: "the disk reports errors: check it and `dmesg`; it is tried again by itself",
    errno.EMFILE: "raise the limit of open files (`ulimit -n`)",
    errno.ENFILE: "the system is out of open files: end other programs",
    errno.ENOMEM: "the machine is out of memory: end other programs",
}
_PERMANENT = {
    errno.EACCES: "make it writable for this user, or choose another directory with --data",
    errno.EPERM: "make it writable for this user, or choose another directory with --data",
    errno.EROFS: "the file system is read-only: choose another directory with --data",
    errno.ENOTDIR: "a file is where a directory should be: choose another directory with --data",
    errno.EEXIST: "a file is where a directory should be: choose another directory with --data",
    errno.ENOENT: "make the directory, or choose another one with --data",
}
_OTHER = "check the path, or choose another directory with --data"


def fault_of(error: OSError, path: Path) -> StoreError:
    """Return the store's error for the operating system's."""
    message = f"{path}: {error.strerror or error}"
    if error.errno in _TRANSIENT:
        return TransientFault(message, _TRANSIENT[error.errno])
    return PermanentFault(message, _PERMANENT.get(error.errno or 0, _OTHER))


@contextmanager
def translated(path: Path) -> Iterator[None]:
    """Raise the store's errors for the operating system's."""
    try:
        yield
    except OSError as error:
        raise fault_of(error, path) from error


OWN_MODE = 0o700
"""What is stored is for the server's user alone; a directory that is there keeps its mode."""


def make_directory(path: Path) -> None:
    """Make a directory and its parents, durably. Raises OSError."""
    missing = [path, *path.parents]
    made = [part for part in missing if not part.exists()]
    path.mkdir(mode=OWN_MODE, parents=True, exist_ok=True)
    for part in made:
        sync_directory(part.parent)


def sync_directory(path: Path) -> None:
    """Make the names in a directory durable; Windows has no such thing and needs none."""
    if sys.platform == "win32":
        return
    file = os.open(path, os.O_RDONLY)
    try:
        os.fsync(file)
    finally:
        os.close(file)
