"""SQLite's result codes: which pass, which stay, which mean damage; each says what helps."""

import sqlite3
from pathlib import Path

import pytest

from persistence.errors import PermanentFault, StoreDamaged, StoreError, TransientFault
from persistence.sqlite.faults import fault_of

PATH = Path("data") / "tesserae.db"


@pytest.mark.parametrize(
    ("code", "kind", "helps"),
    [
        (sqlite3.SQLITE_FULL, TransientFault, "free some space"),
        (sqlite3.SQLITE_IOERR, TransientFault, "the disk"),
        (sqlite3.SQLITE_IOERR_FSYNC, TransientFault, "the disk"),
        (sqlite3.SQLITE_IOERR_WRITE, TransientFault, "the disk"),
        (sqlite3.SQLITE_BUSY, TransientFault, "another program"),
        (sqlite3.SQLITE_BUSY_SNAPSHOT, TransientFault, "another program"),
        (sqlite3.SQLITE_LOCKED, TransientFault, "another program"),
        (sqlite3.SQLITE_NOMEM, TransientFault, "memory"),
        (sqlite3.SQLITE_CANTOPEN, TransientFault, "ulimit"),
        (sqlite3.SQLITE_CORRUPT, StoreDamaged, "restore a backup"),
        (sqlite3.SQLITE_CORRUPT_INDEX, StoreDamaged, "restore a backup"),
        (sqlite3.SQLITE_NOTADB, StoreDamaged, "restore a backup"),
        (sqlite3.SQLITE_IOERR_DATA, StoreDamaged, "restore a backup"),
        (sqlite3.SQLITE_READONLY, PermanentFault, "writable"),
        (sqlite3.SQLITE_READONLY_DBMOVED, PermanentFault, "writable"),
        (sqlite3.SQLITE_CONSTRAINT_NOTNULL, PermanentFault, "error in the program"),
        (sqlite3.SQLITE_ERROR, PermanentFault, "restore a backup"),
    ],
)
def test_codes(code: int, kind: type[StoreError], helps: str) -> None:
    error = sqlite3.OperationalError("it went wrong")
    error.sqlite_errorcode = code
    error.sqlite_errorname = "SQLITE_NAME"
    fault = fault_of(error, PATH)
    assert type(fault) is kind
    assert str(fault) == f"{PATH}: it went wrong (SQLITE_NAME)"
    assert helps in fault.hint
    assert "{path}" not in fault.hint


def test_an_error_of_the_module_itself_is_for_good() -> None:
    fault = fault_of(sqlite3.ProgrammingError("Cannot operate on a closed database."), PATH)
    assert type(fault) is PermanentFault
    assert "ProgrammingError" in str(fault)
