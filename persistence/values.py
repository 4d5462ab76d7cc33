"""What the values of an item may be, and how they are written down as JSON.

Owns the bounds that DynamoDB sets to values, kept by every store so that data can move, and the
JSON form of a set of strings: `{"$set": ["a", "b"]}`. Pure; used by the rules for items and by the
adapters.
"""

import math
from collections.abc import Iterable, Mapping
from typing import Any

import orjson

from persistence.errors import PermanentFault

MIN_INTEGER = -(2**63)
MAX_INTEGER = 2**64 - 1
"""What JSON in the embedded store holds; DynamoDB would hold 38 digits."""
MAX_REAL = 9.9e125
MIN_REAL = 1e-130
MAX_DEPTH = 32
"""Of lists and maps within each other."""
PLAIN = "items are plain JSON values, and sets of strings that are never empty"
_SET = "$set"
_MARK = b'{"$set":'
"""Only a map with this key can bring these bytes about: in a text the quotes would be escaped."""
_JSON = orjson.OPT_PASSTHROUGH_DATACLASS | orjson.OPT_PASSTHROUGH_DATETIME


def check_values(attributes: Mapping[str, Any]) -> None:
    """Raise PermanentFault, naming the attribute, for a value that not every store can hold."""
    for name, value in attributes.items():
        try:
            _check(value, 1)
        except PermanentFault as fault:
            raise PermanentFault(f"the attribute {name!r:.80}: {fault}", fault.hint) from fault


def check_integer(value: int) -> None:
    """Raise PermanentFault for a number of too many bits."""
    if not MIN_INTEGER <= value <= MAX_INTEGER:
        raise PermanentFault(f"a number of {value.bit_length()} bits", "64 bits are the most")


def check_real(value: float) -> None:
    """Raise PermanentFault for what is no number, or out of range."""
    if value and not (math.isfinite(value) and MIN_REAL <= abs(value) <= MAX_REAL):
        raise PermanentFault(
            f"the number {value}", f"numbers are 0 or between {MIN_REAL} and {MAX_REAL} in size"
        )


def check_set(value: Iterable[Any]) -> None:
    """Raise PermanentFault for an empty set, and for one of something else than texts."""
    texts = list(value)
    if not texts or not all(isinstance(each, str) for each in texts):
        raise PermanentFault(
            "a set is of at least one string", "leave out the attribute when the set is empty"
        )


def check_map(value: Mapping[Any, Any]) -> None:
    """Raise PermanentFault when a key is no text, or when the map would be read as a set."""
    if not all(isinstance(name, str) for name in value):
        raise PermanentFault("a map's key is no text", PLAIN)
    if _SET in value:
        raise PermanentFault(f"a map has the key {_SET}", "it stands for a set: call it otherwise")


def encoded(value: Any) -> bytes:
    """Return JSON. Raises PermanentFault for what cannot be written down."""
    try:
        return orjson.dumps(value, option=_JSON, default=_as_map)
    except TypeError as error:
        raise PermanentFault(f"an item cannot be stored: {error}", PLAIN) from error


def decoded(content: bytes) -> Any:
    """Return what was written down. Raises orjson.JSONDecodeError."""
    value = orjson.loads(content)
    return _with_sets(value) if _MARK in content else value


def _check(value: Any, depth: int) -> None:
    if depth > MAX_DEPTH:
        raise PermanentFault(f"lists and maps {depth} deep", f"{MAX_DEPTH} is the most")
    match value:
        case None | bool() | str():
            return
        case int():
            check_integer(value)
        case float():
            check_real(value)
        case list() | tuple():
            for each in value:
                _check(each, depth + 1)
        case dict():
            check_map(value)
            for each in value.values():
                _check(each, depth + 1)
        case set() | frozenset():
            check_set(value)
        case _:
            raise PermanentFault(f"{type(value).__name__} cannot be stored", PLAIN)


def _as_map(value: Any) -> dict[str, list[str]]:
    """Return a set as the map that stands for it; orjson asks for what is beyond JSON."""
    if not isinstance(value, set | frozenset):
        raise TypeError(type(value).__name__)
    check_set(value)
    return {_SET: sorted(value)}


def _with_sets(value: Any) -> Any:
    if isinstance(value, list):
        return [_with_sets(each) for each in value]
    if not isinstance(value, dict):
        return value
    members = value.get(_SET)
    if len(value) == 1 and isinstance(members, list) and all(isinstance(m, str) for m in members):
        return frozenset(members)
    return {name: _with_sets(each) for name, each in value.items()}
