"""Settings: what one client, one address and the whole process may ask."""

from typing import Annotated

from pydantic import BaseModel, Field

from server.config.about import About, Count
from server.config.values import Number, Whole

GROUP = "Limits"


class Limits(BaseModel):
    """The group Limits."""

    max_connections: Annotated[
        Count,
        About(
            GROUP,
            "Connections that are served at once; 0: no limit.",
            "N",
            "About 150 MB of idle spectators.",
        ),
    ] = 10_000
    max_connections_per_address: Annotated[
        Count,
        About(
            GROUP,
            "Connections of one IPv4 address or IPv6 /64, and its HTTP requests at once; 0: no "
            "limit.",
            "N",
            "A school behind one router fits, one machine cannot take every place.",
        ),
    ] = 256
    message_rate: Annotated[
        Count,
        About(
            GROUP,
            "Credits a connection earns per second, for commands and placements; 0: no limit.",
            "N",
            "Well above any hand and a fair pace for a bot.",
        ),
    ] = 20
    message_burst: Annotated[
        Count,
        About(
            GROUP,
            "Credits a connection can save up; 0: no limit.",
            "N",
            "A full frame of 64 placements besides what opening a page asks.",
        ),
    ] = 128
    http_rate: Annotated[
        Count,
        About(
            GROUP,
            "Credits that an identity, or an address without one, earns per second for HTTP "
            "requests; 0: no limit.",
            "N",
            "A panel that shows the board anew twice a second, or a simple bot, never waits.",
        ),
    ] = 10
    http_burst: Annotated[
        Count,
        About(
            GROUP,
            "Credits for HTTP that can be saved up; 0: no limit. A board costs one more for each "
            "256 KB, a picture for each 256 x 256 pixels.",
            "N",
            "A picture of an 8000 x 8000 board in one go, though no second one soon after.",
        ),
    ] = 250
    handshakes_per_second: Annotated[
        Count,
        About(
            GROUP,
            "WebSocket handshakes accepted per second; 0: no limit.",
            "N",
            "10,000 clients that were cut are back within a minute while the board stays live.",
        ),
    ] = 200
    slow_timeout: Annotated[
        Number,
        Field(gt=0, le=3600),
        About(
            GROUP,
            "Seconds after which a reader that never catches up is closed.",
            "S",
            "Longer than a mobile hand-over, shorter than patience.",
        ),
    ] = 30.0
    write_limit: Annotated[
        Whole,
        Field(ge=4096, le=16_777_216),
        About(
            GROUP,
            "Bytes that may wait in the server for one socket before its client is left out of "
            "the ticks.",
            "BYTES",
            "The system keeps more (--send-buffer), and each frame that waits costs 0.8 KB however "
            "short it is: with 64 KB a stalled client can hold 1.5 MB.",
        ),
    ] = 16_384
    send_buffer: Annotated[
        Whole,
        Field(ge=4096, le=16_777_216),
        About(
            GROUP,
            "Bytes that the system is asked to keep for one WebSocket (SO_SNDBUF).",
            "BYTES",
            "Left to itself it keeps 4 MB of the past for a client that lags, and nobody sees that "
            "it does. Linux keeps twice what it is asked for, up to net.core.wmem_max.",
        ),
    ] = 131_072
    max_backlog: Annotated[
        Whole,
        Field(ge=1, le=10_000_000),
        About(
            GROUP,
            "Placements of a game that may wait for the store before new ones are refused.",
            "N",
            "About a second of what the embedded store commits.",
        ),
    ] = 20_000
