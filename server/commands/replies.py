"""Shapes that the replies of several commands share: game state, cooldown, credits, presence.

Owns the shapes alone; the values are made where they belong (server/game/state.py and others).
"""

from typing import Annotated, Literal

from pydantic import Field

from server.commands.registry import Reply
from server.commands.watching import GameName
from server.wire.codes import ErrorCode

Point = Annotated[list[int], Field(min_length=2, max_length=2)]
"""`[x, y]`; no tuple, whose schema not every tool reads."""


class Color(Reply):
    """One colour of a palette."""

    rgb: str = Field(pattern="^#[0-9A-F]{6}$")
    name: str


class Cooldown(Reply):
    """The cooldown of a game, as it stands for whoever asks."""

    rule: Literal["fixed", "stack"]
    ms: int
    left_ms: int
    stack: int
    max_stack: int


class Milestone(Reply):
    """A growth of the board that is still to come."""

    label: str
    trigger_at: int
    direction: str
    amount: int


class GameState(Reply):
    """What a client must know of a game before it can watch and place."""

    game: GameName
    channel: int
    epoch: str
    seq: int
    generation: int
    width: int
    height: int
    offset_x: int
    offset_y: int
    palette: list[Color | None]
    empty: int
    cooldown: Cooldown
    locked: bool
    lock_reason: str | None = None
    starts_at: int | None = None
    ends_at: int | None = None
    milestones: list[Milestone]
    watchers: int


class WatchedGame(GameState):
    """The state of a game where the stream of a connection stands."""

    resume: Literal["current", "events", "snapshot"]


class GameError(Reply):
    """Why one game cannot be watched."""

    code: ErrorCode | str
    message: str


class UnwatchedGame(Reply):
    """A game of a watch set that cannot be watched."""

    game: GameName
    error: GameError


class BucketLeft(Reply):
    """What is left in one bucket of credits."""

    left: int
    burst: int
    per_second: int
    full_in_ms: int


class Visible(Reply):
    """Somebody who is here."""

    id: str
    name: str


class Presence(Reply):
    """Who is here: a snapshot."""

    type: Literal["snapshot"]
    seq: int
    total: int
    spectators: int
    visible: list[Visible]
    more: int
