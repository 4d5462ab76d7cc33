"""Items as DynamoDB writes them down, and back: `{"x": 1}` and `{"x": {"N": "1"}}`.

By hand, since the library's own serializer takes twice as long and gives decimals. Numbers are
exact: what the embedded store can hold comes back equal. Sets of strings are the one kind of value
beyond JSON. Pure; used by every adapter on DynamoDB.
"""

import math
from collections.abc import Callable, Mapping
from typing import Any

import orjson

from persistence.errors import PermanentFault, StoreDamaged
from persistence.items import MAX_ITEM_BYTES
from persistence.ports import Item, Table

Value = dict[str, Any]
"""One value with its type: `{"S": "text"}`."""
Attributes = dict[str, Value]
"""An item as DynamoDB has it."""

MIN_INTEGER = -(2**63)
MAX_INTEGER = 2**64 - 1
"""What JSON in the embedded store holds, so that items can move; DynamoDB would hold 38 digits."""
MAX_REAL = 9.9e125
MIN_REAL = 1e-130
_PLAIN = "items are plain JSON values, and sets of strings"
_CONTAINER_BYTES = 3


def encoded_value(value: Any) -> Value:
    """Return a value with its type. Raises PermanentFault for what cannot be stored."""
    encode = _ENCODERS.get(type(value))
    if encode is None:
        raise PermanentFault(f"{type(value).__name__} cannot be stored", _PLAIN)
    return encode(value)


def encoded_attributes(item: Mapping[str, Any]) -> Attributes:
    """Return an item, or a part of one. Raises PermanentFault, also when it is too large."""
    attributes = {name: encoded_value(value) for name, value in item.items()}
    try:
        upper = len(orjson.dumps(attributes))
    except TypeError as error:
        raise PermanentFault(f"an item cannot be stored: {error}", _PLAIN) from error
    if upper > MAX_ITEM_BYTES and (size := size_bytes(attributes)) > MAX_ITEM_BYTES:
        raise PermanentFault(f"an item of {size} bytes", f"{MAX_ITEM_BYTES} is the most; split it")
    return attributes


def encoded_key(table: Table, partition: str, sort: str) -> Attributes:
    """Return the key of an item."""
    return {table.partition: {"S": partition}, table.sort: {"S": sort}}


def decoded_item(attributes: Attributes) -> Item:
    """Return an item. Raises StoreDamaged for values of a kind that is never written here."""
    return {name: decoded_value(value) for name, value in attributes.items()}


def decoded_value(value: Value) -> Any:
    """Return a plain value."""
    ((kind, content),) = value.items()
    decode = _DECODERS.get(kind)
    if decode is None:
        raise StoreDamaged(
            f"a value of DynamoDB's type {kind}",
            "another program wrote it: `tesserae store check` names the table; remove it",
        )
    return decode(content)


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
    if MIN_INTEGER <= value <= MAX_INTEGER:
        return {"N": str(value)}
    raise PermanentFault(f"a number of {value.bit_length()} bits", "64 bits are the most")


def _real(value: float) -> Value:
    size = abs(value)
    if size <= MAX_INTEGER and value.is_integer():
        return {"N": str(int(value))}  # every digit: the short form would come back as another one
    if not math.isfinite(value) or not MIN_REAL <= size <= MAX_REAL:
        raise PermanentFault(
            f"the number {value}", f"numbers are 0 or between {MIN_REAL} and {MAX_REAL} in size"
        )
    return {"N": repr(value)}


def _list(value: list[Any]) -> Value:
    return {"L": [encoded_value(each) for each in value]}


def _map(value: dict[Any, Any]) -> Value:
    if not all(isinstance(name, str) for name in value):
        raise PermanentFault("a map's key is no text", _PLAIN)
    return {"M": {name: encoded_value(each) for name, each in value.items()}}


def _set(value: set[Any] | frozenset[Any]) -> Value:
    if not value or not all(isinstance(each, str) for each in value):
        raise PermanentFault(
            "a set is of at least one string", "leave out the attribute when the set is empty"
        )
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
    "SS": set,
}
