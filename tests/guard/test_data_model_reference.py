"""The page of the data model says what the declarations say, and names every attribute written."""

import re

import pytest

from canvas.events import BaseImported, PixelPlaced, Resized, SettingsChanged
from canvas.geometry import Geometry
from canvas.growth import Lineage
from persistence.ports import Item
from persistence.shapes import declared
from persistence.tables import ALL
from server.game.config import GameConfig
from server.game.history import partition_of, to_item
from server.game.names import DEFAULT_GAME, blob_folder
from server.recovery.stored_snapshot import (
    StoredSnapshot,
    archive_key,
    newest_key,
    side_key,
)
from server.recovery.unfinished import KEY, Mark
from tests.support.games import make_settings
from tests.support.source import read

PAGE = read("docs/reference/data-model.md")
NAMES = re.compile(r"`([^`\n]+)`")
EVENTS = (
    PixelPlaced(1, 1, 1, 1, 5, 0, 0, 0, 0, "u", "a", 7, 0, 5),
    Resized(2, 1, 1, 8, 8, 0, 0, 0, 0, "wider"),
    SettingsChanged(3, 1, {"locked": True}),
    BaseImported(4, 1, 1, 0, 0, 1, 1, "canvas/base/x.bin", 0, "u"),
)


def section(name: str) -> set[str]:
    """What a section of the page names."""
    return set(NAMES.findall(PAGE.partition(f"\n## {name}\n")[2].partition("\n## ")[0]))


def config_item() -> Item:
    lineage = Lineage([Geometry(8, 8)])
    return GameConfig(DEFAULT_GAME, "e", 1, lineage, make_settings(), ("HISTORY",)).to_item()


def test_every_table_is_told_with_its_keys() -> None:
    for table in ALL:
        ttl = f"`{table.ttl}`" if table.ttl else "no"
        row = f"| `{table.name}` | `{table.partition}` (S) | `{table.sort}` (S) | {ttl} |\n"
        assert row in PAGE, row


def test_every_index_is_told_with_its_keys_and_projection() -> None:
    for table in ALL:
        for name, index in declared(table).indexes.items():
            keys = " | ".join(f"`{attribute}` ({kind})" for attribute, kind in index.keys)
            row = f"| `{name}` | `{table.name}` | {keys} | {index.projection} |\n"
            assert row in PAGE, row


def test_no_other_table_or_index_is_told() -> None:
    told = set(re.findall(r"^\| `(\w+)` \| `", PAGE.partition("\n## config\n")[0], re.MULTILINE))
    assert told == {table.name for table in ALL} | {i.name for t in ALL for i in t.indexes}


@pytest.mark.parametrize("event", EVENTS, ids=lambda event: type(event).__name__)
def test_every_attribute_of_history_is_told(event: PixelPlaced) -> None:
    item = to_item(event, partition_of(DEFAULT_GAME), fence=1)
    assert item.keys() - section("history") == {"PK", "SK"}
    assert item.get("kind", "HISTORY") in section("history")


def test_every_attribute_of_config_is_told() -> None:
    item = config_item()
    assert {*item, "fence"} - section("config") == {"PK", "SK"}
    assert f"{item['PK']}` / `{item['SK']}" in PAGE


def test_the_mark_of_a_copy_is_told() -> None:
    item = Mark("data", {}, "e").put().item
    assert item.keys() - section("main") == set()
    assert f"`{KEY.partition}` / `{KEY.sort}`" in PAGE


def test_every_blob_is_told_with_its_metadata() -> None:
    digits = "0" * 16
    keys = {
        key(DEFAULT_GAME, 0).replace(digits, "<seq, 16 digits>") for key in (archive_key, side_key)
    }
    keys |= {newest_key(DEFAULT_GAME), f"{blob_folder(DEFAULT_GAME)}/base/<name>.bin"}
    assert keys - section("Blobs") == set()
    snapshot = StoredSnapshot(b"", 1, "", "e", 0, 1, 1, 0, 0, 1, 1)
    assert snapshot.to_blob(next_keyframe_ms=5).metadata.keys() - section("Blobs") == set()
