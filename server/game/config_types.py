"""What kind of value each attribute of a config item is.

Owns the look before an item is read, so that a hand or another program that wrote it leaves no game
that starts and fails later. Never tells whether values go together; config.py does. Pure.
"""

from collections.abc import Callable, Mapping
from typing import Any

from persistence.ports import Item

LARGEST = 2**53 - 1
"""Of numbers that every client can hold."""
CHANNELS = 2**16
"""Frames tell a channel in 16 bits."""


def check_types(item: Item) -> None:
    """Raise KeyError or ValueError naming the first attribute that is missing or no such value."""
    for name, (is_one, words) in _REQUIRED.items():
        _check(name, item[name], is_one, words)
    for name, (is_one, words) in _OPTIONAL.items():
        value = item.get(name)
        if value is not None:
            _check(name, value, is_one, words)


def _check(name: str, value: Any, is_one: Callable[[Any], bool], words: str) -> None:
    if not is_one(value):
        raise ValueError(f"{name} is {value!r:.50}, and has to be {words}")


def _is_text(value: Any) -> bool:
    return isinstance(value, str) and value != ""


def _is_whole(value: Any) -> bool:
    return type(value) is int and -LARGEST <= value <= LARGEST


def _is_count(value: Any) -> bool:
    return _is_whole(value) and value >= 0


def _is_channel(value: Any) -> bool:
    return _is_count(value) and value < CHANNELS


def _is_partitions(value: Any) -> bool:
    return isinstance(value, list) and value != [] and all(map(_is_text, value))


def _is_growths(value: Any) -> bool:
    return isinstance(value, list) and all(
        isinstance(growth, list) and all(map(_is_whole, growth)) for growth in value
    )


def _is_writers(value: Any) -> bool:
    return isinstance(value, Mapping) and all(
        fence.isascii() and fence.isdigit() and _is_count(seq) for fence, seq in value.items()
    )


def _is_rule(value: Any) -> bool:
    return isinstance(value, Mapping) and _is_count(value.get("maxStack"))


def _is_flag(value: Any) -> bool:
    return isinstance(value, bool)


Kind = tuple[Callable[[Any], bool], str]

_COUNT: Kind = (_is_count, "a whole number from 0")
_WHOLE: Kind = (_is_whole, "a whole number")
_TEXT: Kind = (_is_text, "a text")
_REQUIRED: Mapping[str, Kind] = {
    "epoch": _TEXT,
    "channel": (_is_channel, f"a whole number from 0 to {CHANNELS - 1}"),
    "width": _COUNT,
    "height": _COUNT,
    "growths": (_is_growths, "a list of lists of whole numbers"),
    "historyPartitions": (_is_partitions, "a list of texts"),
    "writers": (_is_writers, "a map from fences to whole numbers"),
    "seq": _COUNT,
    "cooldownMs": _COUNT,
    "cooldownRule": (_is_rule, "a map with a whole number as maxStack"),
    "locked": (_is_flag, "true or false"),
}
_OPTIONAL: Mapping[str, Kind] = {
    "fence": _COUNT,
    "historyShards": _COUNT,
    "empty": _COUNT,
    "lockReason": (lambda value: isinstance(value, str), "a text"),
    "startsAt": _WHOLE,
    "endsAt": _WHOLE,
}
