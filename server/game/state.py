"""Game state: what a client must know of a game before it can watch and place.

Owns the JSON object of that name in docs/reference/protocol.md, read from the replica alone but for
the cooldown. Pure. Called by the commands and by HTTP.
"""

from collections.abc import Mapping
from typing import Any

from server.asking import Resume
from server.game.game import Game


def game_state(
    game: Game, *, user_id: str | None, resume: Resume | None, watchers: int
) -> dict[str, Any]:
    """Describe a game at its published seq, with one user's cooldown.

    `resume` is None outside of a stream (HTTP), and then not told.
    """
    return {
        "game": game.name,
        "channel": game.channel,
        "epoch": game.replica.epoch,
        "seq": game.replica.seq,
        **({} if resume is None else {"resume": resume}),
        **_geometry(game),
        **_settings(game),
        "cooldown": game.cooldown_of(user_id),
        "milestones": [],
        "watchers": watchers,
    }


def _geometry(game: Game) -> Mapping[str, int]:
    geometry = game.replica.lineage.geometry
    return {
        "generation": geometry.generation,
        "width": geometry.width,
        "height": geometry.height,
        "offsetX": geometry.offset_x,
        "offsetY": geometry.offset_y,
    }


def _settings(game: Game) -> Mapping[str, Any]:
    settings = game.replica.settings
    optional = {
        "lockReason": settings.lock_reason,
        "startsAt": settings.starts_at_ms,
        "endsAt": settings.ends_at_ms,
    }
    return {
        "palette": settings.palette.to_json(),
        "empty": settings.palette.empty,
        "locked": settings.locked,
        **{name: value for name, value in optional.items() if value is not None},
    }
