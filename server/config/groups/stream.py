"""Settings: the pace at which boards are told."""

from typing import Annotated

from pydantic import BaseModel, Field

from server.config.about import About
from server.config.values import OnOff, Whole

GROUP = "Stream"


class Streaming(BaseModel):
    """The group Stream."""

    ping_ms: Annotated[
        Whole,
        Field(ge=1000, le=55_000),
        About(
            GROUP,
            "Time between two pings to a quiet connection, in ms.",
            "MS",
            "Relays cut lines that are silent for 55 s or more.",
        ),
    ] = 20_000
    tick_min_ms: Annotated[
        Whole,
        Field(ge=1, le=10_000),
        About(GROUP, "Shortest time between two writes of a busy board, in ms.", "MS"),
    ] = 10
    tick_max_ms: Annotated[
        Whole,
        Field(ge=1, le=10_000),
        About(GROUP, "Longest time between two writes of a busy board, in ms.", "MS"),
    ] = 200
    io_uring: Annotated[
        OnOff,
        About(
            GROUP,
            "Write a frame to many sockets with one system call, where the kernel allows it.",
            "on|off",
            "Tested at the start; over TLS, and where it is forbidden, each is written by itself.",
        ),
    ] = True
    presence_debounce_ms: Annotated[
        Whole,
        Field(ge=0, le=60_000),
        About(
            GROUP,
            "Time over which joins and leaves are gathered before they are told, in ms.",
            "MS",
            "A reload of the page is then neither a leave nor a join.",
        ),
    ] = 2000
    ring_events: Annotated[
        Whole,
        Field(ge=1, le=10_000_000),
        About(
            GROUP,
            "Newest events of a game kept in memory for those who come back.",
            "N",
            "A minute and more at 1,000 placements a second, in half a megabyte.",
        ),
    ] = 100_000
