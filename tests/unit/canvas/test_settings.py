import pytest

from canvas.cooldown import CooldownRule
from canvas.palette import DEFAULT, Palette, named
from canvas.settings import Settings

SETTINGS = Settings(DEFAULT, CooldownRule(300_000))


@pytest.mark.parametrize(
    ("changes", "name", "value"),
    [
        ({"locked": True}, "locked", True),
        ({"lockReason": "pause"}, "lock_reason", "pause"),
        ({"lockReason": None}, "lock_reason", None),
        ({"startsAt": 5}, "starts_at_ms", 5),
        ({"endsAt": 7}, "ends_at_ms", 7),
        ({"cooldown": {"ms": 5}}, "cooldown", CooldownRule(5)),
        ({"cooldown": {"maxStack": 4}}, "cooldown", CooldownRule(300_000, 4)),
        ({"cooldown": {"rule": "stack", "ms": 5, "maxStack": 4}}, "cooldown", CooldownRule(5, 4)),
        ({"cooldown": {"rule": "fixed"}}, "cooldown", CooldownRule(300_000)),
        ({"milestones": []}, "locked", False),
        ({}, "locked", False),
    ],
)
def test_changes_under_the_protocols_names(
    changes: dict[str, object], name: str, value: object
) -> None:
    changed = SETTINGS.changed(changes)
    assert getattr(changed, name) == value
    assert Settings(DEFAULT, CooldownRule(300_000)) == SETTINGS


def test_a_palette_keeps_the_empty_color() -> None:
    colors = [named("FF0000"), *[None] * 14, named("FFFFFF", "snow")]
    changed = SETTINGS.changed({"palette": Palette.of(colors).to_json()})
    assert (changed.palette.hint, changed.palette.empty) == ("0, 15", 15)
    with pytest.raises(ValueError, match="empty color 15 is not in the palette; use 0"):
        SETTINGS.changed({"palette": ["#FF0000"]})


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"speed": 5}, "there is no setting 'speed'; use one of cooldown, endsAt, lockReason"),
        ({"locked": 1}, "locked is 1; give true or false"),
        ({"locked": None}, "locked is None; give true or false"),
        ({"lockReason": 5}, "lockReason is no text"),
        ({"lockReason": "x" * 501}, "lockReason is no text of up to 500"),
        ({"startsAt": 1.5}, "startsAt is 1.5; give a whole number"),
        ({"endsAt": True}, "endsAt is True; give a whole number"),
        ({"startsAt": 7, "endsAt": 7}, "endsAt 7 is not after startsAt 7"),
        ({"cooldown": 5}, "cooldown is 5; give {ms, maxStack}"),
        ({"cooldown": {"ms": "5"}}, "cooldown.ms is '5'; give a whole number"),
        ({"cooldown": {"ms": -5}}, "a cooldown of -5 ms is not possible"),
        ({"cooldown": {"maxStack": 0}}, "a stack of 0 is not possible"),
        ({"cooldown": {"rule": "fast"}}, "cooldown rule 'fast' is unknown"),
        ({"cooldown": {"rule": []}}, r"cooldown rule \[\] is unknown"),
        ({"cooldown": {"rule": "fixed", "maxStack": 2}}, "a fixed cooldown has maxStack 1"),
        ({"palette": 5}, "a palette is a list of colors"),
    ],
)
def test_wrong_changes_name_what_is_wrong(changes: dict[str, object], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        SETTINGS.changed(changes)


def test_settings_in_json_are_taken_back() -> None:
    settings = Settings(DEFAULT, CooldownRule(5, 2), True, "pause", 1, 2)
    assert SETTINGS.changed(settings.to_json()) == settings
