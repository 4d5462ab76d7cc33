"""JSON messages of protocol version 1 as values, and commands as text; pure.

Owns the names of the fields and checks their types where they are read; anything missing or wrong
is BadFrame. Called by the client and what it is made of.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import wraps
from typing import Any, ParamSpec, TypeVar

import orjson

from tesserae_client.errors import BadFrame
from tesserae_client.records import SIDE_LIMIT

Json = dict[str, Any]

_P = ParamSpec("_P")
_T = TypeVar("_T")


def strict(parse: Callable[_P, _T]) -> Callable[_P, _T]:
    """Turn what a parser trips over into BadFrame."""

    @wraps(parse)
    def parsed(*args: _P.args, **kwargs: _P.kwargs) -> _T:
        try:
            return parse(*args, **kwargs)
        except (LookupError, TypeError, ValueError, AttributeError, ArithmeticError) as fault:
            raise BadFrame(f"{parse.__qualname__}: {fault!r}") from fault

    return parsed


@strict
def decode_text(data: bytes | bytearray) -> Json:
    """Decode one text message; it is always an object."""
    message = orjson.loads(data)
    if not isinstance(message, dict):
        raise TypeError("a message must be a JSON object")
    return message


def encode_command(do: str, command_id: int, fields: Mapping[str, Any]) -> bytes:
    """Encode a command; fields that are None are left out."""
    given = {name: value for name, value in fields.items() if value is not None}
    return orjson.dumps({"do": do, "id": command_id, **given})


def side(value: Any) -> int:
    """Read a side of a board; raises ValueError for one whose cells no record could name."""
    if not 0 < int(value) <= SIDE_LIMIT:
        raise ValueError(f"a side of {value!r:.50} cells; boards have 1 to {SIDE_LIMIT}")
    return int(value)


def body(reply: Json) -> Json:
    """Return the fields of a reply without its envelope."""
    return {name: value for name, value in reply.items() if name not in {"re", "ok"}}


@dataclass(frozen=True, slots=True)
class Color:
    """One colour of the palette."""

    rgb: str
    """`#RRGGBB`"""
    name: str


@dataclass(frozen=True, slots=True)
class Cooldown:
    """The rule, and what is left of this user's at the time that it was told."""

    ms: int
    left_ms: int
    stack: int
    max_stack: int


@dataclass(frozen=True, slots=True)
class GameState:
    """What the server says of a game; `seq` is where the stream of this connection starts."""

    game: str
    channel: int
    epoch: str
    seq: int
    resume: str
    generation: int
    width: int
    height: int
    offset_x: int
    offset_y: int
    palette: tuple[Color | None, ...]
    empty: int
    cooldown: Cooldown
    locked: bool
    lock_reason: str | None
    starts_at: int | None
    ends_at: int | None
    watchers: int
    fields: Json
    """Everything as it was told, milestones and what later servers add included."""

    @classmethod
    @strict
    def from_json(cls, fields: Json) -> "GameState":
        """Read the state of a game from a reply."""
        return cls(
            game=str(fields["game"]),
            channel=int(fields["channel"]),
            epoch=str(fields["epoch"]),
            seq=int(fields["seq"]),
            resume=str(fields["resume"]),
            generation=int(fields["generation"]),
            width=side(fields["width"]),
            height=side(fields["height"]),
            offset_x=int(fields["offsetX"]),
            offset_y=int(fields["offsetY"]),
            palette=tuple(_color(entry) for entry in fields["palette"]),
            empty=int(fields["empty"]),
            cooldown=_cooldown(fields["cooldown"]),
            locked=bool(fields["locked"]),
            lock_reason=fields.get("lockReason"),
            starts_at=fields.get("startsAt"),
            ends_at=fields.get("endsAt"),
            watchers=int(fields["watchers"]),
            fields=fields,
        )

    def changed(self, changes: Json) -> "GameState":
        """Return the state after an event; a changed cooldown keeps what the event leaves out."""
        merged = {**self.fields, **changes}
        if "cooldown" in changes:
            merged["cooldown"] = {**self.fields["cooldown"], **changes["cooldown"]}
        return GameState.from_json(merged)

    @property
    def colors(self) -> list[int]:
        """The palette indexes that may be placed."""
        return [index for index, color in enumerate(self.palette) if color is not None]


@dataclass(frozen=True, slots=True)
class You:
    """Who this connection is; `id` is None for a spectator."""

    id: str | None
    name: str | None
    roles: tuple[str, ...]
    anonymous: bool
    expires_at: int | None
    """Until when the token is good, in milliseconds since the epoch."""
    token: str | None
    """There when it was made just now."""
    last_accepted: Json | None

    @classmethod
    @strict
    def from_json(cls, fields: Json) -> "You":
        """Read who we are: `you` of a reply, or the event of that name."""
        return cls(
            id=fields["id"],
            name=fields.get("name"),
            roles=tuple(fields.get("roles") or ()),
            anonymous=bool(fields["anonymous"]),
            expires_at=fields.get("expiresAt"),
            token=fields.get("token"),
            last_accepted=fields.get("lastAccepted"),
        )


@dataclass(frozen=True, slots=True)
class Checksum:
    """zlib CRC-32 of the packed board at a seq, and perhaps of each band of rows."""

    seq: int
    crc32: int
    bands: tuple[int, ...] | None

    @classmethod
    @strict
    def from_json(cls, fields: Json) -> "Checksum":
        """Read the reply to `checksum`."""
        bands = fields.get("bands")
        return cls(
            int(fields["seq"]), int(fields["crc32"]), None if bands is None else tuple(bands)
        )


@dataclass(frozen=True, slots=True)
class Pixel:
    """What is published at a cell."""

    seq: int
    color: int
    by: str | None
    at: int | None
    """Milliseconds since the epoch."""
    original: tuple[int, int]
    """The cell's position on the very first board."""

    @classmethod
    @strict
    def from_json(cls, fields: Json) -> "Pixel":
        """Read the reply to `pixel`."""
        x, y = fields["original"]
        return cls(
            int(fields["seq"]), int(fields["color"]), fields.get("by"), fields.get("at"), (x, y)
        )


def _color(entry: Mapping[str, str] | None) -> Color | None:
    return None if entry is None else Color(entry["rgb"], entry["name"])


def _cooldown(fields: Mapping[str, Any]) -> Cooldown:
    return Cooldown(
        ms=int(fields["ms"]),
        left_ms=int(fields["leftMs"]),
        stack=int(fields["stack"]),
        max_stack=int(fields["maxStack"]),
    )
