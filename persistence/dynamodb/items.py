"""Items as DynamoDB writes them down, and back: `{"x": 1}` and `{"x": {"N": "1"}}`.

By hand, since the library's own serializer takes twice as long and gives decimals. Numbers are
exact: what the embedded store can hold comes back equal. Sets of strings are the one kind of value
beyond JSON. Pure; used by every adapter on DynamoDB.
"""

from collections.abc import Callable, Mapping
from typing import Any

import orjson

from persistence.errors import PermanentFault, StoreDamaged
from persistence.items import MAX_ITEM_BYTES
from persistence.ports import Item, Table
from persistence.values import (
    MAX_INTEGER,
    MIN_INTEGER,
    PLAIN,
    check_integer,
    check_map,
    check_real,
    check_set,
)

Value = dict[str, Any]
"""One value with its type: `{"S": "text"}`."""
Attributes = dict[str, Value]
"""An item as DynamoDB has it."""

_FOREIGN = (
    "another program, or a newer version, wrote it: `tesserae store check` tells of what else, "
    "then put it back from a backup or remove it"
)
_CONTAINER_BYTES = 3


def encoded_value(value: Any) -> Value:
    """Return a value with its type. Raises PermanentFault for what cannot be stored."""
    encode = _ENCODERS.get(type(value))
    if encode is None:
        raise PermanentFault(f"{type(value).__name__} cannot be stored", PLAIN)
    return encode(value)


def encoded_attributes(item: Mapping[str, Any]) -> Attributes:
    """Return an item, or a part of one. Raises PermanentFault, also when it is too large."""
    attributes = {name: encoded_value(value) for name, value in item.items()}
    try:
        upper = len(orjson.dumps(attributes))
    except TypeError as error:
        raise PermanentFault(f"an item cannot be stored: {error}", PLAIN) from error
    if upper > MAX_ITEM_BYTES and (size := size_bytes(attributes)) > MAX_ITEM_BYTES:
        raise PermanentFault(f"an item of {size} bytes", f"{MAX_ITEM_BYTES} is the most; split it")
    return attributes


def encoded_key(table: Table, partition: str, sort: str) -> Attributes:
    """Return the key of an item."""
    return {table.partition: {"S": partition}, table.sort: {"S": sort}}


def decoded_item(attributes: Attributes) -> Item:
    """Return an item. Raises StoreDamaged, naming item and attribute, for what is never written."""
    try:
        return {name: decoded_value(value) for name, value in attributes.items()}
    except _NeverWrittenError as error:
        name = next(name for name, value in attributes.items() if not _is_readable(value))
        raise StoreDamaged(
            f"{_place(attributes)}: the attribute {name!r:.80} holds {error}", _FOREIGN
        ) from error


def decoded_value(value: Value) -> Any:
    """Return a plain value. Raises ValueError for a kind that is never written here."""
    ((kind, content),) = value.items()
    decode = _DECODERS.get(kind)
    if decode is None:
        raise _NeverWrittenError(f"a value of DynamoDB's type {kind}")
    return decode(content)


class _NeverWrittenError(ValueError):
    """A value of a kind that no version has written."""


def _is_readable(value: Value) -> bool:
    try:
        decoded_value(value)
    except _NeverWrittenError:
        return False
    return True


def _place(attributes: Attributes) -> str:
    """Name an item by its keys, whichever table it is of."""
    keys = [attributes.get(name, {}).get("S") for name in ("PK", "SK", "pk", "sk")]
    return " / ".join(key for key in keys if key is not None) or "an item"


def size_bytes(attributes: Attributes) -> int:
    """Return the size of an item by DynamoDB's rule."""
    return sum(len(name.encode()) + _value_bytes(value) for name, value in attributes.items())


def _value_bytes(value: Value) -> int:
    ((kind, content),) = value.items()
    match kind:
        case "S":
            return len(content.encode())
        case "N":
            return len(content) // 2 + 2
        case "SS":
            return sum(len(text.encode()) for text in content)
        case "L":
            return _CONTAINER_BYTES + sum(1 + _value_bytes(each) for each in content)
        case "M":
            names = sum(1 + len(name.encode()) for name in content)
            return _CONTAINER_BYTES + names + sum(_value_bytes(each) for each in content.values())
        case _:
            return 1


def _text(value: str) -> Value:
    return {"S": value}


def _boolean(value: bool) -> Value:
    return {"BOOL": value}


def _null(value: None) -> Value:
    del value
    return {"NULL": True}


def _integer(value: int) -> Value:
    check_integer(value)
    return {"N": str(value)}


def _real(value: float) -> Value:
    if value.is_integer() and abs(value) <= MAX_INTEGER:
        return {"N": str(int(value))}  # every digit: the short form would come back as another one
    check_real(value)
    return {"N": repr(value)}


def _list(value: list[Any]) -> Value:
    return {"L": [encoded_value(each) for each in value]}


def _map(value: dict[Any, Any]) -> Value:
    check_map(value)
    return {"M": {name: encoded_value(each) for name, each in value.items()}}


def _set(value: set[Any] | frozenset[Any]) -> Value:
    check_set(value)
    return {"SS": sorted(value)}


def _number(text: str) -> int | float:
    if text.lstrip("-").isdecimal() and MIN_INTEGER <= (number := int(text)) <= MAX_INTEGER:
        return number
    return float(text)


_ENCODERS: dict[type, Callable[[Any], Value]] = {
    str: _text,
    bool: _boolean,
    type(None): _null,
    int: _integer,
    float: _real,
    list: _list,
    tuple: _list,
    dict: _map,
    set: _set,
    frozenset: _set,
}
_DECODERS: dict[str, Callable[[Any], Any]] = {
    "S": str,
    "N": _number,
    "BOOL": bool,
    "NULL": lambda _: None,
    "L": lambda values: [decoded_value(each) for each in values],
    "M": lambda values: {name: decoded_value(each) for name, each in values.items()},
    "SS": frozenset,
}
