"""Opening `tesserae.db`: made when new, looked at before anything can change it.

What is looked at: that the file is SQLite's, ours, of a format that this version knows, and not cut
short. A full `quick_check` reads the whole file (0.5 s per 100 MB), so only small files get one;
in large ones SQLite reports a broken page when it meets it, and recovery reads what it trusts.
"""

import sqlite3
from pathlib import Path

from persistence.errors import NoStore, PermanentFault, StoreDamaged
from persistence.sqlite.faults import RESTORE, translated
from persistence.sqlite.schema import APPLICATION_ID, FORMAT, OLDEST_FORMAT, create, upgrade

QUICK_CHECK_BYTES = 16 * 1024 * 1024
CHECKPOINT_PAGES = 4000
_CACHE_KIB = 64 * 1024
_WAL_LIMIT_BYTES = 64 * 1024 * 1024
_BUSY_MS = 2000
_LOG_HEADER_BYTES = 32
_LOG_FRAME_BYTES = 24


def open_writer(path: Path) -> sqlite3.Connection:
    """Open for writing; makes the file and its tables when there is none, upgrades an older one.

    Raises StoreDamaged, with nothing changed; PermanentFault; TransientFault.
    """
    new = _inspected(path, alone=True)
    with translated(path):
        connection = _connect(path, "rwc")
        connection.execute("PRAGMA journal_mode = WAL")
        connection.execute("PRAGMA synchronous = FULL")
        connection.execute(f"PRAGMA cache_size = -{_CACHE_KIB}")
        connection.execute(f"PRAGMA wal_autocheckpoint = {CHECKPOINT_PAGES}")
        connection.execute(f"PRAGMA journal_size_limit = {_WAL_LIMIT_BYTES}")
        connection.execute("PRAGMA secure_delete = OFF")
        if new:
            create(connection)
        elif _pragma(connection, "user_version") < FORMAT:
            upgrade(connection)
        # Only now, since an upgrade sorts whole tables. What a batch may have to undo is a hundred
        # pages; in a file of its own, made for each commit, it is a third of all that is written.
        connection.execute("PRAGMA temp_store = MEMORY")
        return connection


def open_reader(path: Path) -> sqlite3.Connection:
    """Open for reading what `open_writer` made, beside it."""
    with translated(path):
        connection = _connect(path, "rw")
        connection.execute("PRAGMA query_only = ON")
        connection.execute(f"PRAGMA cache_size = -{_CACHE_KIB}")
        return connection


def open_beside(path: Path) -> sqlite3.Connection:
    """Open for reading alone, whoever writes. Raises NoStore when there is no store."""
    if _inspected(path, alone=False):
        raise NoStore(
            f"there is no store in {path.parent}",
            "name the server's directory with --data, or start the server there first",
        )
    with translated(path):
        return _connect(path, "ro")


def _connect(path: Path, mode: str) -> sqlite3.Connection:
    """Connect in autocommit mode; the connection goes from the loop's thread to its own."""
    connection = sqlite3.connect(
        f"{path.absolute().as_uri()}?mode={mode}",
        uri=True,
        isolation_level=None,
        check_same_thread=False,
        timeout=_BUSY_MS / 1000,
    )
    connection.execute("PRAGMA cell_size_check = ON")
    return connection


def _inspected(path: Path, *, alone: bool) -> bool:
    """Return whether there is no store yet. Raises StoreDamaged, nothing being changed.

    A file that nobody else has open is read as it is, else SQLite would make files beside it.
    """
    log = path.with_name(f"{path.name}-wal")
    log_bytes = log.stat().st_size if log.exists() else 0
    size_bytes = path.stat().st_size if path.exists() else 0
    if size_bytes == 0:
        if log_bytes > 0:
            raise _damaged(path, f"it is empty or gone, but {log.name} beside it is not")
        return True
    with translated(path):
        connection = _connect(path, "ro&immutable=1" if alone and log_bytes == 0 else "ro")
        try:
            new = _looked_into(connection, path, size_bytes, log_bytes)
            if not (new or alone):
                _check_upgraded(connection, path)
            return new
        finally:
            connection.close()


def _looked_into(
    connection: sqlite3.Connection, path: Path, size_bytes: int, log_bytes: int
) -> bool:
    application, version = (
        _pragma(connection, "application_id"),
        _pragma(connection, "user_version"),
    )
    if application == 0 and _is_empty(connection):
        return True
    if application != APPLICATION_ID:
        raise StoreDamaged(
            f"{path} is a database, but not one of Tesserae",
            "nothing was changed; choose another directory with --data, or put a backup back and"
            " run `tesserae epoch new`",
        )
    if not OLDEST_FORMAT <= version <= FORMAT:
        raise StoreDamaged(
            f"{path} has format {version}, this version of Tesserae knows {FORMAT}",
            "nothing was changed; start the version that wrote it, or a newer one: `tesserae"
            " version` tells which this is",
        )
    page_bytes = _pragma(connection, "page_size")
    log_pages = max(0, log_bytes - _LOG_HEADER_BYTES) // (page_bytes + _LOG_FRAME_BYTES)
    if _pragma(connection, "page_count") > size_bytes // page_bytes + log_pages:
        raise _damaged(path, "it is cut short")
    if size_bytes <= QUICK_CHECK_BYTES:
        _check_quickly(connection, path)
    return False


def _check_upgraded(connection: sqlite3.Connection, path: Path) -> None:
    version = _pragma(connection, "user_version")
    if version < FORMAT:
        raise PermanentFault(
            f"{path} has format {version}; to be read beside a server it needs format {FORMAT}",
            "let this version serve it once, which upgrades it",
        )


def _check_quickly(connection: sqlite3.Connection, path: Path) -> None:
    (result,) = connection.execute("PRAGMA quick_check(1)").fetchone()
    if result != "ok":
        raise _damaged(path, result)


def _damaged(path: Path, what: str) -> StoreDamaged:
    return StoreDamaged(f"{path} is damaged: {what}", RESTORE.format(path=path))


def _pragma(connection: sqlite3.Connection, name: str) -> int:
    return int(connection.execute(f"PRAGMA {name}").fetchone()[0])


def _is_empty(connection: sqlite3.Connection) -> bool:
    return connection.execute("SELECT 1 FROM sqlite_schema LIMIT 1").fetchone() is None
