"""`createGame`: an operator founds a game, which runs from then on."""

from http import HTTPStatus
from typing import Any

from pydantic import Field

from canvas.cooldown import MAX_COOLDOWN_MS, MAX_STACK, CooldownRule
from canvas.geometry import MAX_SIDE
from canvas.palette import DEFAULT, MAX_COLORS, Palette
from canvas.settings import Settings
from server.access.identity import Role
from server.commands.registry import (
    Call,
    Command,
    Done,
    Failed,
    Http,
    Outcome,
    Request,
    bad_request,
)
from server.commands.replies import GameState
from server.commands.steps import carried_out
from server.commands.watching import GameName, unwatched_state
from server.hosting.directory import Taken
from server.hosting.game_rows import MAX_TITLE_CHARS, checked_name
from server.hosting.steward import NewGame
from server.wire.codes import ErrorCode

RULE_SETS = frozenset({"place"})
"""The first part of a name says which rules a game has."""


class PaletteColor(Request):
    """One colour."""

    rgb: str = Field(max_length=7)
    name: str = Field(default="", max_length=64)


class CooldownWish(Request):
    """How often one may place."""

    ms: int = Field(ge=0, le=MAX_COOLDOWN_MS)
    max_stack: int = Field(default=1, ge=1, le=MAX_STACK)


class CreateGame(Request):
    """A game: its name, its size, and its settings where they are not the usual ones."""

    game: GameName
    title: str = Field(default="", max_length=MAX_TITLE_CHARS)
    width: int = Field(ge=1, le=MAX_SIDE)
    height: int = Field(ge=1, le=MAX_SIDE)
    palette: list[PaletteColor | None] | None = Field(
        default=None, min_length=1, max_length=MAX_COLORS
    )
    empty: int | None = None
    """The number of the colour of fresh cells; the first white, or else the last, when left out."""
    cooldown: CooldownWish = CooldownWish(ms=300_000)
    starts_at: int | None = None
    """Milliseconds since the epoch."""
    ends_at: int | None = None


async def _create(call: Call[CreateGame]) -> Outcome:
    asked, services = call.request, call.caller.services
    new = _new_game(asked)
    if isinstance(new, Failed):
        return new

    async def create() -> Outcome:
        game = await services.steward.create(new, call.caller.user_id or "")
        return Done(unwatched_state(call.caller, game))

    try:
        return await carried_out(create, asked.game)
    except Taken as taken:
        return Failed(ErrorCode.CONFLICT, str(taken))


def _new_game(asked: CreateGame) -> NewGame | Failed:
    try:
        checked_name(asked.game)
    except ValueError as error:
        return bad_request("game", str(error))
    if asked.game.partition("#")[0] not in RULE_SETS:
        return bad_request("game", f"must begin with one of {', '.join(sorted(RULE_SETS))}")
    try:
        palette = _palette(asked)
    except ValueError as error:
        return bad_request("palette", str(error))
    rule = CooldownRule(asked.cooldown.ms, asked.cooldown.max_stack)
    try:
        settings = Settings(palette, rule, starts_at_ms=asked.starts_at, ends_at_ms=asked.ends_at)
    except ValueError as error:
        return bad_request("endsAt", str(error))
    return NewGame(asked.game, asked.title, asked.width, asked.height, settings)


def _palette(asked: CreateGame) -> Palette:
    if asked.palette is None:
        return DEFAULT if asked.empty is None else Palette.of(DEFAULT.colors, asked.empty)
    colors: list[Any] = [None if color is None else color.model_dump() for color in asked.palette]
    if asked.empty is not None:
        return Palette.from_json(colors, asked.empty)
    drawn = Palette.from_json(colors, next((at for at, one in enumerate(colors) if one), 0))
    return Palette.of(drawn.colors)


COMMAND = Command(
    "createGame",
    "Found a game",
    CreateGame,
    GameState,
    _create,
    Http("POST", "/api/games", HTTPStatus.CREATED, needs_token=True),
    cost=20,
    roles=frozenset({Role.ADMIN}),
)
