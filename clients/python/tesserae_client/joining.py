"""Joining: what `subscribe` is sent with, and what its reply means; pure.

Owns the options of a client and these two forms. Called by the link at the start of every line.
"""

from dataclasses import dataclass
from typing import Literal

from tesserae_client.errors import CommandFailed, Stopped, Unauthorized, UnknownGame, command_error
from tesserae_client.messages import GameState, Json, You, strict


@dataclass(frozen=True, slots=True)
class Options:
    """Who joins, and how; see `Client`."""

    url: str
    game: str
    token: str | None
    guest: bool
    codec: Literal["binary", "json"]
    snapshot: Literal["inline", "http"]
    track_board: bool
    watch: bool
    settle: bool
    invisible: bool
    wants_presence: bool
    min_interval_ms: int | None


@dataclass(frozen=True, slots=True)
class Joined:
    """The reply to `subscribe`."""

    you: You
    state: GameState
    presence: Json | None


@dataclass(frozen=True, slots=True)
class NotJoined:
    """Why not: for good, or until `retry_after_ms`."""

    final: Stopped | None
    reason: str
    retry_after_ms: int | None = None


def subscribe_fields(options: Options, token: str | None, position: Json | None) -> Json:
    """Build the fields of `subscribe`; `position` resumes."""
    game: Json = {
        "game": options.game,
        "snapshot": options.snapshot if options.track_board else "none",
    }
    if position is not None:
        game["since"] = position
    return {
        "token": token,
        "guest": True if token is None and options.guest else None,
        "invisible": options.invisible,
        "wantsPresence": options.wants_presence,
        "minIntervalMs": options.min_interval_ms,
        "games": [game],
    }


@strict
def read_joined(reply: Json) -> Joined | NotJoined:
    """Read the reply to `subscribe`."""
    if not reply["ok"]:
        return _not_joined(reply["error"])
    game = reply["games"][0]
    if "error" in game:
        error = game["error"]
        code = error["code"] if isinstance(error, dict) else error
        return NotJoined(UnknownGame(f"{game['game']}: {code}"), str(code))
    return Joined(You.from_json(reply["you"]), GameState.from_json(game), reply.get("presence"))


def _not_joined(error: Json) -> NotJoined:
    failed: CommandFailed = command_error(error)
    if failed.code == "unauthorized":
        return NotJoined(Unauthorized(failed.message), failed.message)
    retry_after_ms = error.get("retryAfterMs")
    if retry_after_ms is None and failed.code not in {"rate", "busy", "internal"}:
        return NotJoined(Stopped(str(failed)), failed.message)
    return NotJoined(None, str(failed), None if retry_after_ms is None else int(retry_after_ms))
