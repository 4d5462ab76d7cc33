"""Expired items leave the disk: looked at behind the port."""

import sqlite3
from pathlib import Path

from persistence.embedded.store import DATABASE_NAME
from persistence.ports import Put
from persistence.sqlite.tables import SWEPT_PER_WRITE
from persistence.tables import MAIN
from tests.contract.wall import Wall
from tests.support.stores import embedded


def on_disk(data_dir: Path) -> int:
    connection = sqlite3.connect(data_dir / DATABASE_NAME)
    (count,) = connection.execute("SELECT count(*) FROM main").fetchone()
    connection.close()
    return int(count)


async def test_each_write_sweeps_a_few(tmp_path: Path) -> None:
    wall = Wall(1_000_000)
    async with embedded(tmp_path, wall) as store:
        for number in range(20):
            item = {"pk": "wsConnections", "sk": f"{number:02}", "expiresAt": 1010}
            await store.tables.write(Put(MAIN, item))
        assert on_disk(tmp_path) == 20
        wall.ms = 1_010_000
        left = [20]
        for _ in range(3):
            await store.tables.write(Put(MAIN, {"pk": "GAME", "sk": "a"}))
            left.append(on_disk(tmp_path) - 1)
    assert left == [20, 20 - SWEPT_PER_WRITE, 20 - 2 * SWEPT_PER_WRITE, 0]
