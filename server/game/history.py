"""Events to history items and back, with the attribute names of the seeds.

Owns the layout of history rows: their partitions, sort keys and attributes. Pure: reads no store
and no clock. Called by the committer (event to item) and by recovery (item to event).
"""

from typing import Any

from canvas.events import (
    BaseImported,
    ControlEvent,
    Event,
    PixelPlaced,
    Resized,
    SettingsChanged,
)
from canvas.records import COLOR_SHIFT, Y_SHIFT
from persistence.ports import Item
from server.game.names import DEFAULT_GAME

EARLIEST_MS = 10**12
"""September 2001. A machine that begins in 1970, until it is told the time, would write times of
fewer digits, which sort behind all later ones."""


def partition_of(game: str) -> str:
    """Partition key of a game's history."""
    return "HISTORY" if game == DEFAULT_GAME else f"HISTORY#{game}"


def sort_key(at_ms: int, seq: int, fence: int) -> str:
    """Make `ts#<epoch ms>#<unique id>`; the padded seq keeps the order."""
    return f"ts#{at_ms}#{seq:016d}-{fence}"


def time_key(at_ms: int) -> str:
    """A sort key before every item of that millisecond."""
    return f"ts#{max(EARLIEST_MS, at_ms)}"


def to_item(event: Event, partition: str, fence: int) -> Item:
    """Make the history row of an event."""
    if type(event) is PixelPlaced:
        return _placement_item(event, partition, fence)
    return _control_item(event, partition, fence)  # type: ignore[arg-type]  # narrowed by type() above


def _placement_item(event: PixelPlaced, partition: str, fence: int) -> Item:
    # Taken apart at once, which halves what the item costs: by name each field is a call.
    seq, at_ms, x, y, color, _, left, top, previous, user, key, request, index, cost_ms = event
    item: Item = {
        "PK": partition,
        # As `sort_key` does; zfill costs 0.3 us less than a format.
        "SK": f"ts#{at_ms}#{str(seq).zfill(16)}-{fence}",
        "x_original": x - left,
        "y_original": y - top,
        "offset_x": left,
        "offset_y": top,
        "colorIndex": color,
        "seq": seq,
        "fence": fence,
        "userId": user,
        "addressKey": key,
        "previous": previous,
        "costMs": cost_ms,
    }
    if request is not None:
        item["request"] = request
        item["index"] = index
    return item


def _control_item(event: ControlEvent, partition: str, fence: int) -> Item:
    return {
        "PK": partition,
        "SK": sort_key(event.at_ms, event.seq, fence),
        "seq": event.seq,
        "fence": fence,
        **_control_attributes(event),
    }


def _control_attributes(event: ControlEvent) -> dict[str, Any]:
    if isinstance(event, SettingsChanged):
        return {"kind": "settings", "changes": dict(event.changes)}
    if isinstance(event, BaseImported):
        return _base_attributes(event)
    return {
        "kind": "resize",
        "generation": event.generation,
        "width": event.width,
        "height": event.height,
        "offset_x": event.offset_x,
        "offset_y": event.offset_y,
        "shiftX": event.shift_x,
        "shiftY": event.shift_y,
        "label": event.label,
    }


def _base_attributes(event: BaseImported) -> dict[str, Any]:
    return {
        "kind": "base",
        "generation": event.generation,
        "x": event.x,
        "y": event.y,
        "width": event.width,
        "height": event.height,
        "blob": event.blob,
        "crc32": event.crc32,
        # Not `userId`: only placements are in that index.
        "importedBy": event.user_id,
    }


def at_ms_of_key(sk: str) -> int:
    """Wall clock (ms) in a sort key; raises ValueError for another text."""
    return int(sk.split("#", 2)[1])


def from_item(item: Item, generation: int) -> Event:
    """Read an event back; `generation` is the one in force before it.

    Raises KeyError or ValueError when an attribute is missing or of the wrong kind.
    """
    return control_event(item) if is_control(item) else _placement(item, generation)


def control_event(item: Item) -> ControlEvent:
    """Read a control event back; raises KeyError or ValueError like `from_item`."""
    kind = item["kind"]
    if kind == "settings":
        return SettingsChanged(item["seq"], at_ms_of_key(item["SK"]), item["changes"])
    if kind == "resize":
        return _resized(item)
    if kind == "base":
        return _base(item)
    raise ValueError(f"history item {item['SK']} is of the unknown kind {kind!r}")


def is_control(item: Item) -> bool:
    """Whether a row is of a control event and not of a placement."""
    return "kind" in item


def is_base(item: Item) -> bool:
    """Whether a row is of a base picture, whose cells are a blob."""
    return item.get("kind") == "base"


def record_of(item: Item) -> int:
    """Read a placement's record (x, y and color as on the wire), and nothing else: 1 us less.

    Raises KeyError, or ValueError for a position that no board has.
    """
    x = item["x_original"] + item["offset_x"]
    y = item["y_original"] + item["offset_y"]
    if (x | y) >> Y_SHIFT:
        raise ValueError(f"history item {item['SK']} lies at ({x}, {y})")
    value: int = x | y << Y_SHIFT | item["colorIndex"] << COLOR_SHIFT
    return value


def _placement(item: Item, generation: int) -> PixelPlaced:
    offset_x, offset_y = item["offset_x"], item["offset_y"]
    return PixelPlaced(
        item["seq"],
        int(item["SK"].split("#", 2)[1]),
        item["x_original"] + offset_x,
        item["y_original"] + offset_y,
        item["colorIndex"],
        generation,
        offset_x,
        offset_y,
        item["previous"],
        item["userId"],
        item["addressKey"],
        item.get("request"),
        item.get("index", 0),
        item["costMs"],
    )


def _resized(item: Item) -> Resized:
    return Resized(
        seq=item["seq"],
        at_ms=at_ms_of_key(item["SK"]),
        generation=item["generation"],
        width=item["width"],
        height=item["height"],
        offset_x=item["offset_x"],
        offset_y=item["offset_y"],
        shift_x=item["shiftX"],
        shift_y=item["shiftY"],
        label=item["label"],
    )


def _base(item: Item) -> BaseImported:
    return BaseImported(
        seq=item["seq"],
        at_ms=at_ms_of_key(item["SK"]),
        generation=item["generation"],
        x=item["x"],
        y=item["y"],
        width=item["width"],
        height=item["height"],
        blob=item["blob"],
        crc32=item["crc32"],
        user_id=item["importedBy"],
    )
