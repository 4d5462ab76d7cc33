"""Settings: how many games run at a time, and when one that nobody uses is laid to rest."""

from typing import Annotated

from pydantic import BaseModel, Field

from server.config.about import About
from server.config.values import Number, Whole

GROUP = "Games"


class Hosting(BaseModel):
    """The group Games."""

    max_open_games: Annotated[
        Whole,
        Field(ge=1, le=10_000),
        About(
            GROUP,
            "Games that run at a time; one more is opened when one that nobody uses can rest.",
            "N",
            "Each has a committer, a snapshotter and a ring of its own.",
        ),
    ] = 64
    boards_mb: Annotated[
        Whole,
        Field(ge=1, le=1_000_000),
        About(
            GROUP,
            "Megabytes that the packed boards of all running games may have together.",
            "MB",
            "Sixteen boards of 8000 x 8000, or a thousand of the usual size.",
        ),
    ] = 512
    game_idle: Annotated[
        Number,
        Field(ge=1, le=86_400),
        About(
            GROUP,
            "Seconds after which a game that nobody watches or places on is laid to rest; the next "
            "who asks for it brings it back.",
            "SECONDS",
        ),
    ] = 300.0
