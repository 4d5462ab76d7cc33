"""What a row of history has to look like, by itself.

Owns the types of its attributes and that its sort key tells its seq and fence. Pure; how rows
follow each other is told elsewhere. Called by `tesserae store check` for each row, and by recovery
to name the one that it cannot read.
"""

from collections.abc import Iterable, Mapping

from persistence.ports import Item
from server.game.history import control_event, is_control

SORT = "ts#"
COLORS = range(16)
"""What four bits hold."""
_KEYS: Mapping[str, type] = {"PK": str, "SK": str, "seq": int, "fence": int}
_PLACEMENT: tuple[tuple[str, type], ...] = tuple(
    {
        **_KEYS,
        "x_original": int,
        "y_original": int,
        "offset_x": int,
        "offset_y": int,
        "colorIndex": int,
        "previous": int,
        "userId": str,
        "addressKey": str,
        "costMs": int,
    }.items()
)
_CONTROL: Mapping[str, Mapping[str, type]] = {
    "settings": {"changes": dict},
    "resize": dict.fromkeys(
        ("generation", "width", "height", "offset_x", "offset_y", "shiftX", "shiftY"), int
    ),
    "base": {
        **dict.fromkeys(("generation", "x", "y", "width", "height", "crc32"), int),
        "blob": str,
        "importedBy": str,
    },
}


def place_of(item: Item) -> str:
    """Name a row as a finding does."""
    return f"history {item['PK']} / {item['SK']}"


def wrong_with(item: Item) -> str:
    """Say what is wrong with a row by itself; empty when it is sound."""
    if is_control(item):
        return _wrong_with_control(item)
    wrong = _wrong_types(item, _PLACEMENT)
    if wrong:
        return wrong
    for name in ("colorIndex", "previous"):
        if item[name] not in COLORS:
            return f"its {name} is {item[name]}, and colors are 0 to {COLORS[-1]}"
    return _wrong_key(item)


def _wrong_with_control(item: Item) -> str:
    attributes = _CONTROL.get(item["kind"]) if isinstance(item["kind"], str) else None
    if attributes is None:
        known = ", ".join(_CONTROL)
        return (
            f"its kind is {item['kind']!r}, and this version knows {known}: a newer Tesserae may"
            " have written it"
        )
    wrong = _wrong_types(item, {**_KEYS, **attributes}.items())
    if wrong:
        return wrong
    try:
        control_event(item)
    except (KeyError, TypeError, ValueError) as error:
        return f"it cannot be read: {error!r}"
    return _wrong_key(item)


def _wrong_types(item: Item, attributes: Iterable[tuple[str, type]]) -> str:
    for name, kind in attributes:
        if type(item.get(name)) is not kind:
            if name not in item:
                return f"it has no {name}"
            return f"its {name} is {item[name]!r:.50}, and should be of type {kind.__name__}"
    return ""


def _wrong_key(item: Item) -> str:
    """Compare the sort key with what it is made of."""
    sort: str = item["SK"]
    tail = f"#{item['seq']:016d}-{item['fence']}"
    if sort.startswith(SORT) and sort.endswith(tail) and sort[3 : -len(tail)].isdecimal():
        return ""
    return f"its key does not tell its seq {item['seq']} and its fence {item['fence']}"
