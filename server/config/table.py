"""The settings as rows: how each is named in every source and what it accepts.

Derived from `Settings` once, at import. Read by the loader, the command line and the reference
page; knows no values but the defaults.
"""

from dataclasses import dataclass
from typing import Any, Literal, TypeVar, get_args, get_origin

from pydantic import SecretStr
from pydantic.fields import FieldInfo

from server.config.about import About
from server.config.settings import Settings
from server.config.values import Accepts

PREFIX = "TESSERAE_"
CONFIG_VARIABLE = "TESSERAE_CONFIG"

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Row:
    """One setting in all its names."""

    name: str
    """The attribute of `Settings`."""
    key: str
    """The TOML key, and the flag without its dashes."""
    flag: str | None
    """None for a secret: command lines are seen by every process of the machine."""
    variable: str
    about: About
    accepts: str
    default: Any
    secret: bool

    @property
    def default_text(self) -> str:
        """The default as a flag would give it; empty when there is none."""
        if self.default is None or self.default == ():
            return ""
        if isinstance(self.default, tuple):
            return ",".join(map(str, self.default))
        if isinstance(self.default, bool):
            return "on" if self.default else "off"
        return "off" if self.default == 0 and "off" in self.about.metavar else str(self.default)


def _bound(field: FieldInfo, kind: str) -> Any:
    """Return the `ge`, `gt` or `le` of a field, or None."""
    return next((getattr(rule, kind) for rule in field.metadata if hasattr(rule, kind)), None)


def _range(field: FieldInfo) -> str:
    low, above, high = (_bound(field, kind) for kind in ("ge", "gt", "le"))
    if field.annotation is float:
        return f"a number above {above}, up to {high}"
    off = "off, or " if "off" in _found(field, About).metavar else ""
    return f"{off}a whole number from {low} to {high}"


def _found(field: FieldInfo, kind: type[T]) -> T:
    return next(rule for rule in field.metadata if isinstance(rule, kind))


def _accepts(field: FieldInfo) -> str:
    for rule in field.metadata:
        if isinstance(rule, Accepts):
            return rule.words
    if get_origin(field.annotation) is Literal:
        return " or ".join(get_args(field.annotation))
    if field.annotation in {int, float}:
        return _range(field)
    return "a path"


def _row(name: str, field: FieldInfo) -> Row:
    key = name.replace("_", "-")
    secret = SecretStr in get_args(field.annotation)
    return Row(
        name=name,
        key=key,
        flag=None if secret else f"--{key}",
        variable=PREFIX + name.upper(),
        about=_found(field, About),
        accepts=_accepts(field),
        default=field.default,
        secret=secret,
    )


ROWS: tuple[Row, ...] = tuple(_row(name, field) for name, field in Settings.model_fields.items())
BY_NAME = {row.name: row for row in ROWS}
GROUPS = tuple(dict.fromkeys(row.about.group for row in ROWS))
