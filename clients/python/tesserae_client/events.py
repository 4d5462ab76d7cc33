"""What a client tells its listeners, as frozen values."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from tesserae_client.messages import GameState, You
from tesserae_client.outcomes import Unknown
from tesserae_client.records import Records


@dataclass(frozen=True, slots=True)
class Connected:
    """The line is open and the server said who we are."""

    you: You
    game: GameState


@dataclass(frozen=True, slots=True)
class Lost:
    """The line is gone, or could not be opened; the client comes back after `retry_in_s`."""

    reason: str
    code: int | None
    retry_in_s: float


@dataclass(frozen=True, slots=True)
class BoardReplaced:
    """A snapshot took the place of the whole board."""

    seq: int


@dataclass(frozen=True, slots=True)
class PixelsChanged:
    """Cells changed; conflated frames hold only the newest record of each cell."""

    first: int
    last: int
    generation: int
    conflated: bool
    records: Records
    """`records.to_triples` splits them."""


@dataclass(frozen=True, slots=True)
class GameChanged:
    """A numbered event was applied (`resize`, `settings`, `fill`, `cells`), or watchers changed."""

    event: str
    fields: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class PresenceChanged:
    """Who is here changed; `client.presence` is up to date."""

    joins: Mapping[str, str]
    leaves: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Told:
    """Any other event of the server: `notice`, `going`, and what later versions add."""

    event: str
    fields: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class PlacementUnknown:
    """A cut left this placement without an answer; it is settled after the resume."""

    placement: Unknown


@dataclass(frozen=True, slots=True)
class Overflow:
    """This listener was too slow: `missed` events were dropped. Look at the board anew."""

    missed: int


Event = (
    Connected
    | Lost
    | BoardReplaced
    | PixelsChanged
    | GameChanged
    | PresenceChanged
    | Told
    | PlacementUnknown
    | Overflow
)
