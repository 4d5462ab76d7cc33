"""A config item with a value of another kind is refused by name, whatever the value is."""

from typing import Any

import pytest

from persistence.errors import StoreDamaged
from persistence.ports import Item
from server.game.config import GameConfig, found
from server.game.config_types import LARGEST
from tests.support.games import NAME, make_settings

WRONG: list[Any] = [
    *("", -1, LARGEST + 1, 1.5, b"x", frozenset({"a"})),
    *([[]], [1, "x"], {"x": 0}, {"0": "x"}),
]
DERIVED = {"globalOffsetX", "globalOffsetY", "generation"}
"""Told for other readers; the growths decide."""
FITTING = {("lockReason", ""), ("startsAt", -1), ("endsAt", -1)}


def item() -> Item:
    config = found(
        NAME, width=8, height=8, settings=make_settings(0, 1), epoch="e1", channel=1, shards=2
    )
    return config.to_item() | {"fence": 3, "writers": {"1": 4, "2": 9}}


def test_a_sound_item_is_read() -> None:
    config = GameConfig.from_item(NAME, item())
    assert (config.fence, config.writers, config.last_fence) == (3, {1: 4, 2: 9}, 3)


@pytest.mark.parametrize("name", sorted(item().keys() - {"PK", "SK"} - DERIVED))
def test_another_kind_of_value_is_refused(name: str) -> None:
    for value in WRONG:
        if isinstance(value, str | int) and (name, value) in FITTING:
            continue
        with pytest.raises(StoreDamaged, match=f"config item of {NAME}") as told:
            GameConfig.from_item(NAME, item() | {name: value})
        assert "store check" in told.value.hint


@pytest.mark.parametrize("name", ["epoch", "channel", "growths", "writers", "seq", "locked"])
def test_a_missing_value_is_named(name: str) -> None:
    lacking = item()
    del lacking[name]
    with pytest.raises(StoreDamaged, match=name):
        GameConfig.from_item(NAME, lacking)
