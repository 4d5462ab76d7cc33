"""A data directory that somebody played on, ways to damage it, and proof that nothing changed."""

import hashlib
import shutil
import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from random import Random

from tests.support.foreign import dialled
from tests.support.processes import ServerProcess

DATABASE = "tesserae.db"
PIXELS = 30
FLAGS = ("--size", "64x40", "--cooldown-ms", "0")
Damage = Callable[[Path], None]


async def played(data: Path, *, rounds: int, ended_by: str) -> int:
    """Play some rounds, each ended by "kill" (history alone) or "stop" (a snapshot too).

    Returns the checksum of the board at the end.
    """
    server = ServerProcess(data, *FLAGS)
    for number in range(rounds):
        await server.start()
        async with dialled(server.url) as player:
            await player.play()
            await player.put(*[(x, number, x % 15) for x in range(PIXELS)])
            assert player.follower.board is not None
            crc32 = player.follower.board.crc32()
        await (server.kill() if ended_by == "kill" else server.stop())
    return crc32


def damaged_copy(data: Path, copy: Path, *damages: Damage) -> Path:
    shutil.copytree(data, copy)
    for damage in damages:
        damage(copy)
    return copy


# --- damages ----------------------------------------------------------------------------------


def cut_to(share: float) -> Damage:
    """Keep only the first part of the database."""

    def damage(data: Path) -> None:
        path = data / DATABASE
        with path.open("r+b") as file:
            file.truncate(int(path.stat().st_size * share))

    return damage


def scribble(start: float, end: float) -> Damage:
    """Write random bytes over a part of the database."""

    def damage(data: Path) -> None:
        path = data / DATABASE
        size = path.stat().st_size
        with path.open("r+b") as file:
            file.seek(int(size * start))
            file.write(Random(1).randbytes(int(size * (end - start))))

    return damage


def remove(data: Path) -> None:
    (data / DATABASE).unlink()


def statement(sql: str) -> Damage:
    """Change the database as its own program might."""

    def damage(data: Path) -> None:
        with closing(sqlite3.connect(data / DATABASE)) as connection, connection:
            connection.execute(sql)

    return damage


def spoil(pattern: str) -> Damage:
    """Turn a byte in every blob of that name."""

    def damage(data: Path) -> None:
        paths = list((data / "blobs").rglob(pattern))
        assert paths, f"no blob is called {pattern}"
        for path in paths:
            content = bytearray(path.read_bytes())
            content[len(content) // 2] ^= 0xFF
            path.write_bytes(content)

    return damage


# --- nothing changed --------------------------------------------------------------------------


def hashes(data: Path) -> dict[str, str]:
    """Each file's hash; the lock names its last holder and is no data."""
    return {
        str(path.relative_to(data)): hashlib.sha256(path.read_bytes()).hexdigest()
        for path in data.rglob("*")
        if path.is_file() and path.name != "lock"
    }


def contents(data: Path) -> dict[str, object]:
    """What is stored: every row but the count of the writers, and each blob's hash."""
    found: dict[str, object] = dict(hashes(data / "blobs"))
    with closing(sqlite3.connect(f"file:{data / DATABASE}?mode=ro", uri=True)) as connection:
        tables = connection.execute("SELECT name FROM sqlite_schema WHERE type = 'table'")
        for (table,) in tables.fetchall():
            rows = connection.execute(f'SELECT * FROM "{table}"').fetchall()  # noqa: S608 - its own
            found[table] = [row for row in rows if row[0] != "LEASE"]
    return found
