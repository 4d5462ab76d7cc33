"""Damaged data: a refusal that names the remedy and changes nothing, or the right fallback."""

import asyncio
import re
import signal
from pathlib import Path
from typing import NamedTuple

import pytest

from tests.support.damage import (
    FLAGS,
    Damage,
    contents,
    cut_to,
    damaged_copy,
    hashes,
    played,
    remove,
    scribble,
    spoil,
    statement,
)
from tests.support.foreign import dialled
from tests.support.processes import ServerProcess, tesserae

pytestmark = [pytest.mark.chaos, pytest.mark.xdist_group("damage")]

STORE_EXIT = 3
REMEDY = "backup|another --data|another directory with --data|start the version"


class Played(NamedTuple):
    data: Path
    crc32: int


@pytest.fixture(scope="module")
def killed(tmp_path_factory: pytest.TempPathFactory) -> Played:
    """History and its log, no snapshot."""
    data = tmp_path_factory.mktemp("killed") / "data"
    return Played(data, asyncio.run(played(data, rounds=2, ended_by="kill")))


@pytest.fixture(scope="module")
def stopped(tmp_path_factory: pytest.TempPathFactory) -> Played:
    """Two snapshots and the history that led to them."""
    data = tmp_path_factory.mktemp("stopped") / "data"
    return Played(data, asyncio.run(played(data, rounds=2, ended_by="stop")))


async def started_on(data: Path) -> str:
    """What a server says that refuses to start with 3."""
    server = ServerProcess(data, *FLAGS)
    await server.launch()
    code, said = await server.ended()
    assert code == STORE_EXIT, said
    assert "Traceback" not in said
    return said


FILES: dict[str, tuple[Damage, str]] = {
    "cut short": (cut_to(0.5), "cut short|malformed"),
    "cut within a page": (cut_to(0.9), "cut short|malformed"),
    "random bytes": (scribble(0, 1), "not a database"),
    "random bytes in the middle": (scribble(0.4, 0.6), "damaged|malformed"),
    "of another program": (statement("PRAGMA application_id = 1"), "not one of Tesserae"),
    "of a later version": (statement("PRAGMA user_version = 99"), "format 99"),
    "gone": (remove, "is gone or empty"),
    "emptied": (cut_to(0), "is gone or empty"),
}


@pytest.mark.parametrize("name", FILES)
async def test_a_broken_file_is_refused_and_left_as_it_is(
    name: str, stopped: Played, tmp_path: Path
) -> None:
    damage, message = FILES[name]
    data = damaged_copy(stopped.data, tmp_path / "data", damage)
    before = hashes(data)
    said = await started_on(data)
    assert re.search(message, said), said
    assert re.search(REMEDY, said), said
    assert hashes(data) == before


HISTORY = "FROM history WHERE json_extract(item, '$.seq')"
CONFIG = "UPDATE config SET item ="
CONTENTS: dict[str, tuple[Damage, str]] = {
    "a hole": (statement(f"DELETE {HISTORY} = 10"), "hole after seq 9"),
    "no beginning": (statement(f"DELETE {HISTORY} <= 3"), "hole after seq 0"),
    "an item without a color": (
        statement("UPDATE history SET item = json_remove(item, '$.colorIndex')"),
        "item that cannot be read",
    ),
    "an item that is no JSON": (statement("UPDATE history SET item = '{{{'"), "is no JSON"),
    "a config without a width": (
        statement(f"{CONFIG} json_remove(item, '$.width')"),
        "config item .* cannot be read",
    ),
    "a config that is no JSON": (statement(f"{CONFIG} '{{{{{{'"), "is no JSON"),
    "no config": (statement("DELETE FROM config"), "a history of 60 items but no config"),
}


@pytest.mark.parametrize("name", CONTENTS)
async def test_history_or_config_that_cannot_be_is_refused_and_left_as_it_is(
    name: str, killed: Played, tmp_path: Path
) -> None:
    damage, message = CONTENTS[name]
    data = damaged_copy(killed.data, tmp_path / "data", damage)
    before = contents(data)
    said = await started_on(data)
    assert re.search(message, said), said
    assert re.search(REMEDY, said), said
    assert contents(data) == before


async def test_a_history_that_ends_before_what_was_published_is_refused(
    stopped: Played, tmp_path: Path
) -> None:
    damages = (statement(f"DELETE {HISTORY} > 20"), spoil("*.blob"))
    data = damaged_copy(stopped.data, tmp_path / "data", *damages)
    before = contents(data)
    assert re.search("ends at seq 20; 60 was published", await started_on(data))
    assert contents(data) == before


FALLBACKS: dict[str, tuple[Damage, str]] = {
    "the newest snapshot": (spoil("canvas.bin.blob"), "passed over"),
    "every snapshot": (spoil("*.bin.blob"), "passed over"),
    "every side blob": (spoil("*.json.blob"), "passed over"),
    "every blob": (spoil("*.blob"), "passed over"),
}


@pytest.mark.parametrize("name", FALLBACKS)
async def test_a_broken_snapshot_is_told_and_something_older_stands_in(
    name: str, stopped: Played, tmp_path: Path
) -> None:
    damage, message = FALLBACKS[name]
    data = damaged_copy(stopped.data, tmp_path / "data", damage)
    server = ServerProcess(data, *FLAGS)
    await server.start()
    async with dialled(server.url) as client:
        await client.play()
        assert client.follower.board is not None
        assert client.follower.board.crc32() == stopped.crc32
        assert client.follower.seq == 60
        assert (await client.put((0, 0, 1)))[0].seq == 61
    server.tell(signal.SIGTERM)
    code, said = await server.ended()
    assert code == 0
    assert message in said


@pytest.mark.parametrize("name", [*FILES, *CONTENTS, *FALLBACKS])
async def test_a_check_finds_all_that_a_start_finds(
    name: str, stopped: Played, tmp_path: Path
) -> None:
    damage, _ = {**FILES, **CONTENTS, **FALLBACKS}[name]
    data = damaged_copy(stopped.data, tmp_path / "data", damage)
    before = hashes(data / "blobs")
    code, said = await tesserae("store", "check", "--data", str(data))
    assert code in {1, STORE_EXIT}, said
    assert "damage" in said or re.search(REMEDY, said), said
    assert "Traceback" not in said
    assert hashes(data / "blobs") == before


async def test_a_check_finds_what_no_start_notices(stopped: Played, tmp_path: Path) -> None:
    data = damaged_copy(stopped.data, tmp_path / "data", statement(f"DELETE {HISTORY} = 10"))
    server = ServerProcess(data, *FLAGS)
    await server.start()
    assert await server.stop() == 0
    code, said = await tesserae("store", "check", "--data", str(data))
    assert code == 1
    assert "seq 10 is missing" in said
