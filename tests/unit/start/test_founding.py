"""A new board follows the flags; an existing one follows those given, and says the rest."""

from pathlib import Path

import pytest

from canvas.cooldown import CooldownRule
from canvas.palette import DEFAULT
from canvas.settings import Settings as GameSettings
from server.config import load
from server.founding import Founding, read_founding


def founding(**flags: str) -> Founding:
    return read_founding(load(flags, {}, None).settings)


def test_a_new_board_has_the_defaults_of_the_seed() -> None:
    item = founding().config("e").to_item()
    assert (item["width"], item["height"], item["cooldownMs"]) == (960, 540, 300_000)


def test_flags_found_a_board(tmp_path: Path) -> None:
    palette = tmp_path / "two.hex"
    palette.write_text("000000\nFFFFFF\n")
    config = founding(size="64x32", palette=str(palette), cooldown_ms="7").config("e")
    assert (config.lineage.geometry.width, config.lineage.geometry.height) == (64, 32)
    assert len(config.settings.palette.colors) == 2
    assert config.settings.palette.empty == 1


def test_an_existing_board_says_what_it_does_not_follow() -> None:
    existing = founding(size="64x32").config("e")
    (ignored,) = founding(size="65x32").ignored_by(existing)
    assert "64x32" in ignored
    assert founding().ignored_by(existing) == []


@pytest.mark.parametrize(
    ("flags", "expected"),
    [
        ({}, None),
        ({"cooldown_ms": "500"}, None),
        ({"cooldown_ms": "600"}, {"rule": "stack", "ms": 600, "maxStack": 3}),
        ({"cooldown_stack": "4"}, {"rule": "stack", "ms": 500, "maxStack": 4}),
        ({"cooldown_ms": "0", "cooldown_stack": "1"}, {"rule": "fixed", "ms": 0, "maxStack": 1}),
    ],
)
def test_a_cooldown_is_changed_only_where_it_was_given(
    flags: dict[str, str], expected: dict[str, object] | None
) -> None:
    settings = GameSettings(DEFAULT, CooldownRule(500, 3))
    changes = founding(**flags).changes_to(settings)
    assert changes.get("cooldown") == expected
