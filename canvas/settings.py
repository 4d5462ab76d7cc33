"""The settings of a game that may change while it runs.

Owns their checks and the protocol's names for them. A change is applied alike by the head, which
decides it, and by the replica, which is told of it. Never announces anything.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from canvas.cooldown import CooldownRule
from canvas.palette import Palette

MAX_REASON_LENGTH = 500
ELSEWHERE = frozenset({"milestones"})
"""Changes that the same event carries, which others keep."""


@dataclass(frozen=True, slots=True)
class Settings:
    """What rules a game now. Times are on the wall clock. Raises ValueError when out of order."""

    palette: Palette
    cooldown: CooldownRule
    locked: bool = False
    lock_reason: str | None = None
    starts_at_ms: int | None = None
    ends_at_ms: int | None = None

    def __post_init__(self) -> None:
        starts, ends = self.starts_at_ms, self.ends_at_ms
        if starts is not None and ends is not None and ends <= starts:
            raise ValueError(f"endsAt {ends} is not after startsAt {starts}; give a later end")

    def changed(self, changes: Mapping[str, Any]) -> "Settings":
        """Apply changes under the protocol's names; null clears where that makes sense.

        Raises ValueError naming the one that is unknown or wrong, and then nothing is changed.
        """
        fields: dict[str, Any] = {}
        for name, value in changes.items():
            if name in ELSEWHERE:
                continue
            reader = _READERS.get(name)
            if reader is None:
                known = ", ".join(sorted(_READERS))
                raise ValueError(f"there is no setting {name!r}; use one of {known}")
            field, read = reader
            fields[field] = read(self, name, value)
        return replace(self, **fields)

    def to_json(self) -> dict[str, Any]:
        """Every setting under its protocol name, as `changed` takes them."""
        return {
            "cooldown": self.cooldown.to_json(),
            "locked": self.locked,
            "lockReason": self.lock_reason,
            "palette": self.palette.to_json(),
            "startsAt": self.starts_at_ms,
            "endsAt": self.ends_at_ms,
        }


def _cooldown(settings: Settings, name: str, value: Any) -> CooldownRule:
    if isinstance(value, Mapping):
        return _cooldown_rule(settings.cooldown, name, value)
    raise ValueError(f"{name} is {value!r}; give {{ms, maxStack}}")


def _cooldown_rule(old: CooldownRule, name: str, value: Mapping[str, Any]) -> CooldownRule:
    """Read `{rule?, ms?, maxStack?}`; what is not given stays, and `fixed` is a stack of 1."""
    rule = value.get("rule")
    if rule not in (None, "fixed", "stack"):
        raise ValueError(f"cooldown rule {rule!r} is unknown; use fixed or stack")
    kept = 1 if rule == "fixed" else old.max_stack
    cooldown = CooldownRule(
        _whole(f"{name}.ms", value.get("ms", old.ms)),
        _whole(f"{name}.maxStack", value.get("maxStack", kept)),
    )
    if rule == "fixed" and cooldown.max_stack > 1:
        raise ValueError("a fixed cooldown has maxStack 1; use the rule stack")
    return cooldown


def _palette(settings: Settings, name: str, value: Any) -> Palette:
    del name
    return Palette.from_json(value, settings.palette.empty)


def _flag(settings: Settings, name: str, value: Any) -> bool:
    del settings
    if value is True or value is False:
        return bool(value)
    raise ValueError(f"{name} is {value!r}; give true or false")


def _text(settings: Settings, name: str, value: Any) -> str | None:
    del settings
    if value is not None and not (isinstance(value, str) and len(value) <= MAX_REASON_LENGTH):
        raise ValueError(f"{name} is no text of up to {MAX_REASON_LENGTH} characters, or null")
    return value


def _time_ms(settings: Settings, name: str, value: Any) -> int | None:
    del settings
    return None if value is None else _whole(name, value)


def _whole(name: str, value: Any) -> int:
    if type(value) is not int:
        raise ValueError(f"{name} is {value!r}; give a whole number")
    return value


_READERS = {
    "cooldown": ("cooldown", _cooldown),
    "locked": ("locked", _flag),
    "lockReason": ("lock_reason", _text),
    "palette": ("palette", _palette),
    "startsAt": ("starts_at_ms", _time_ms),
    "endsAt": ("ends_at_ms", _time_ms),
}
