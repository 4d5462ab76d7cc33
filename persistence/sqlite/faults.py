"""From SQLite's result codes to the store's errors, each with what helps.

Every call into sqlite3 of the embedded adapters runs inside `translated`, so that no sqlite3
exception leaves this room. The primary code decides; a few extended codes are worse than theirs.
"""

import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from persistence.errors import PermanentFault, StoreDamaged, StoreError, TransientFault

RESTORE = (
    "nothing was changed; stop the server, keep a copy of the data directory, restore a backup and "
    "run `tesserae epoch new`; or recover the file with `sqlite3 {path} .recover` and look at it "
    "with `tesserae store check`"
)
_SPACE = "free some space on the disk of {path}; what waits is written by itself then"
_DISK = "the disk of {path} reports errors: check cables, quota and `dmesg`; it is tried again"
_BUSY = "another program holds {path}: end it; it is tried again by itself"
_MEMORY = "the machine is out of memory: end other programs; it is tried again by itself"
_FILES = "{path} cannot be opened just now: raise the limit of open files (`ulimit -n`)"
_ACCESS = "make {path} and its directory writable for this user, then start again"
_ITEM = "the item is not one that a store can hold: this is an error in the program, report it"
_SCHEMA = "{path} lacks what this version needs: restore a backup, or start on a new directory"

Fault = tuple[type[StoreError], str]

_BY_PRIMARY: dict[int, Fault] = {
    sqlite3.SQLITE_FULL: (TransientFault, _SPACE),
    sqlite3.SQLITE_IOERR: (TransientFault, _DISK),
    sqlite3.SQLITE_BUSY: (TransientFault, _BUSY),
    sqlite3.SQLITE_LOCKED: (TransientFault, _BUSY),
    sqlite3.SQLITE_PROTOCOL: (TransientFault, _BUSY),
    sqlite3.SQLITE_INTERRUPT: (TransientFault, _BUSY),
    sqlite3.SQLITE_NOMEM: (TransientFault, _MEMORY),
    sqlite3.SQLITE_CANTOPEN: (TransientFault, _FILES),
    sqlite3.SQLITE_CORRUPT: (StoreDamaged, RESTORE),
    sqlite3.SQLITE_NOTADB: (StoreDamaged, RESTORE),
    sqlite3.SQLITE_FORMAT: (StoreDamaged, RESTORE),
    sqlite3.SQLITE_READONLY: (PermanentFault, _ACCESS),
    sqlite3.SQLITE_PERM: (PermanentFault, _ACCESS),
    sqlite3.SQLITE_AUTH: (PermanentFault, _ACCESS),
    sqlite3.SQLITE_CONSTRAINT: (PermanentFault, _ITEM),
    sqlite3.SQLITE_TOOBIG: (PermanentFault, _ITEM),
    sqlite3.SQLITE_MISMATCH: (PermanentFault, _ITEM),
}
_BY_EXTENDED: dict[int, Fault] = {
    sqlite3.SQLITE_IOERR_CORRUPTFS: (StoreDamaged, RESTORE),
    sqlite3.SQLITE_IOERR_DATA: (StoreDamaged, RESTORE),
}
_OTHER: Fault = (PermanentFault, _SCHEMA)
_PRIMARY_BITS = 0xFF


def fault_of(error: sqlite3.Error, path: Path) -> StoreError:
    """Return the store's error for one of SQLite's."""
    code = getattr(error, "sqlite_errorcode", sqlite3.SQLITE_ERROR)
    name = getattr(error, "sqlite_errorname", type(error).__name__)
    kind, hint = _BY_EXTENDED.get(code) or _BY_PRIMARY.get(code & _PRIMARY_BITS, _OTHER)
    return kind(f"{path}: {error} ({name})", hint.format(path=path))


@contextmanager
def translated(path: Path) -> Iterator[None]:
    """Raise the store's errors for SQLite's."""
    try:
        yield
    except sqlite3.Error as error:
        raise fault_of(error, path) from error
