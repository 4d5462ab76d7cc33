"""Every setting of the server, each declared once: type, bounds, default, help and reason.

Flags, environment variables, TOML keys, the reference page and the error texts are derived from
this table (table.py). The value is frozen and handed down from the composition root; nobody
changes it after start. It reads no file and no environment: that is load.py's.
"""

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field, SecretStr

from canvas.cooldown import MAX_STACK
from server.config.values import (
    Accepts,
    BoardSize,
    Networks,
    Number,
    OffOrWhole,
    OnOff,
    Origins,
    Size,
    Whole,
)

TEN_YEARS_MS = 10 * 365 * 24 * 3600 * 1000

LISTENING = "Listening"
STORE = "Store"
CANVAS = "Canvas"
IDENTITY = "Identity"
LIMITS = "Limits"
STREAM = "Stream"
OPERATION = "Operation"


@dataclass(frozen=True, slots=True)
class About:
    """What a person is told of a setting."""

    group: str
    help: str
    metavar: str
    why: str = ""
    """The reason for the default, for the reference page."""


Port = Annotated[Whole, Field(ge=0, le=65535)]
Count = Annotated[Whole, Field(ge=0, le=10_000_000)]
ADDRESSES_FORM = Accepts("a host name or an address")


class Settings(BaseModel):
    """The whole configuration; `given` tells what somebody set from what is a default."""

    model_config = ConfigDict(frozen=True, extra="forbid", validate_default=False)

    host: Annotated[
        str,
        Field(min_length=1, max_length=255),
        ADDRESSES_FORM,
        About(
            LISTENING,
            "Address to listen on.",
            "HOST",
            "A laptop shows nothing to its network unless asked; 0.0.0.0 or :: listens everywhere.",
        ),
    ] = "127.0.0.1"
    port: Annotated[
        Port, About(LISTENING, "TCP port to listen on; 0 lets the system choose one.", "PORT")
    ] = 8080
    origins: Annotated[
        Origins,
        About(
            LISTENING,
            "Origins of other pages that may open a WebSocket; the server's own host always may.",
            "ORIGIN,…",
        ),
    ] = ()
    origin_required: Annotated[
        OnOff,
        About(
            LISTENING,
            "Refuse handshakes without an Origin header.",
            "on|off",
            "Bots send none, and their tokens protect them; browsers always send one.",
        ),
    ] = False
    trusted_proxies: Annotated[
        Networks,
        About(
            LISTENING,
            "Networks of the proxies whose X-Forwarded-For is believed.",
            "CIDR,…",
            "Believing anybody would let every client choose its own address.",
        ),
    ] = ()

    data: Annotated[
        Path, About(STORE, "Directory of the embedded store; made when it is not there.", "DIR")
    ] = Path("data")
    store: Annotated[
        Literal["embedded"], About(STORE, "Where games are kept: SQLite and files.", "embedded")
    ] = "embedded"
    snapshot_interval: Annotated[
        Number,
        Field(gt=0, le=86_400),
        About(
            STORE,
            "Longest time between two snapshots of a board that changes, in seconds.",
            "S",
            "Bounds how much history a start has to read.",
        ),
    ] = 60.0
    snapshot_pixels: Annotated[
        Whole,
        Field(ge=1, le=10_000_000),
        About(
            STORE,
            "Placements after which a snapshot is made sooner.",
            "N",
            "A start then reads history for well under a second.",
        ),
    ] = 10_000

    size: Annotated[
        BoardSize,
        About(
            CANVAS, "Size that a new place#main is founded with; ignored by an existing one.", "WxH"
        ),
    ] = Size(960, 540)
    palette: Annotated[
        Path | None,
        About(
            CANVAS,
            "Palette file (hex list, .gpl or JSON) that a new place#main is founded with.",
            "FILE",
        ),
    ] = None
    cooldown_ms: Annotated[
        Whole,
        Field(ge=0, le=TEN_YEARS_MS),
        About(
            CANVAS,
            "Time between two placements of one user, in ms; applied at start when given.",
            "MS",
            "Five minutes is what large public canvases settled on.",
        ),
    ] = 300_000
    cooldown_stack: Annotated[
        Whole,
        Field(ge=1, le=MAX_STACK),
        About(
            CANVAS,
            "Placements that may be saved up while not placing; applied at start when given.",
            "N",
        ),
    ] = 1
    address_cooldown: Annotated[
        OffOrWhole,
        Field(ge=0, le=TEN_YEARS_MS),
        About(
            CANVAS,
            "Shortest time between two placements of one address, in ms.",
            "off|MS",
            "A school or a mobile network shares one address among many players.",
        ),
    ] = 0
    address_budget: Annotated[
        Count,
        About(
            CANVAS,
            "Cooldowns of one address that may run at once; 0: no limit.",
            "N",
            "Room for a class behind one router, none for a farm of hundreds.",
        ),
    ] = 40
    address_exceptions: Annotated[
        Networks,
        About(
            CANVAS,
            "Networks that no limit per address holds for, such as the hall of an event.",
            "CIDR,…",
        ),
    ] = ()

    secret: Annotated[
        SecretStr | None,
        Accepts("at least 32 random characters, such as `openssl rand -hex 32` makes"),
        About(
            IDENTITY,
            "Secret that signs tokens. Made on first start in DIR/secret when none is given.",
            "TEXT",
        ),
    ] = None
    secret_file: Annotated[
        Path | None, About(IDENTITY, "File that holds the signing secret.", "FILE")
    ] = None
    guests: Annotated[OnOff, About(IDENTITY, "Let people play without a token.", "on|off")] = True
    guests_per_address: Annotated[
        Count,
        About(
            IDENTITY,
            "Guests of one address who are connected or left within the last hour; 0: no limit. "
            "Holders of an issued token are not counted.",
            "N",
            "As many as may place at once by the default address budget.",
        ),
    ] = 40

    max_connections: Annotated[
        Count,
        About(
            LIMITS,
            "Connections that are served at once; 0: no limit.",
            "N",
            "About 150 MB of idle spectators.",
        ),
    ] = 10_000
    max_connections_per_address: Annotated[
        Count,
        About(
            LIMITS,
            "Connections of one IPv4 address or IPv6 /64; 0: no limit.",
            "N",
            "A school behind one router fits, one machine cannot take every place.",
        ),
    ] = 256
    message_rate: Annotated[
        Count,
        About(
            LIMITS,
            "Credits a connection earns per second, for commands and placements; 0: no limit.",
            "N",
            "Well above any hand and a fair pace for a bot.",
        ),
    ] = 20
    message_burst: Annotated[
        Count,
        About(
            LIMITS,
            "Credits a connection can save up; 0: no limit.",
            "N",
            "A full frame of 64 placements besides what opening a page asks.",
        ),
    ] = 128
    handshakes_per_second: Annotated[
        Count,
        About(
            LIMITS,
            "WebSocket handshakes accepted per second; 0: no limit.",
            "N",
            "10,000 clients that were cut are back within a minute while the board stays live.",
        ),
    ] = 200
    slow_timeout: Annotated[
        Number,
        Field(gt=0, le=3600),
        About(
            LIMITS,
            "Seconds after which a reader that never catches up is closed.",
            "S",
            "Longer than a mobile hand-over, shorter than patience.",
        ),
    ] = 30.0
    max_backlog: Annotated[
        Whole,
        Field(ge=1, le=10_000_000),
        About(
            LIMITS,
            "Placements of a game that may wait for the store before new ones are refused.",
            "N",
            "About a second of what the embedded store commits.",
        ),
    ] = 20_000

    ping_ms: Annotated[
        Whole,
        Field(ge=1000, le=55_000),
        About(
            STREAM,
            "Time between two pings to a quiet connection, in ms.",
            "MS",
            "Relays cut lines that are silent for 55 s or more.",
        ),
    ] = 20_000
    tick_min_ms: Annotated[
        Whole,
        Field(ge=1, le=10_000),
        About(STREAM, "Shortest time between two writes of a busy board, in ms.", "MS"),
    ] = 10
    tick_max_ms: Annotated[
        Whole,
        Field(ge=1, le=10_000),
        About(STREAM, "Longest time between two writes of a busy board, in ms.", "MS"),
    ] = 200
    presence_debounce_ms: Annotated[
        Whole,
        Field(ge=0, le=60_000),
        About(
            STREAM,
            "Time over which joins and leaves are gathered before they are told, in ms.",
            "MS",
            "A reload of the page is then neither a leave nor a join.",
        ),
    ] = 2000
    ring_events: Annotated[
        Whole,
        Field(ge=1, le=10_000_000),
        About(
            STREAM,
            "Newest events of a game kept in memory for those who come back.",
            "N",
            "A minute and more at 1,000 placements a second, in half a megabyte.",
        ),
    ] = 100_000

    metrics_token: Annotated[
        SecretStr | None,
        Field(min_length=16),
        Accepts("at least 16 characters"),
        About(
            OPERATION,
            "Bearer token that opens /metrics to others than this machine itself.",
            "TEXT",
        ),
    ] = None
    log_format: Annotated[
        Literal["text", "json"], About(OPERATION, "Form of the log.", "text|json")
    ] = "text"
    log_level: Annotated[
        Literal["debug", "info", "warning", "error"],
        About(OPERATION, "Least level that is logged.", "debug|info|warning|error"),
    ] = "info"
    stop_deadline: Annotated[
        Number,
        Field(gt=0, le=600),
        About(
            OPERATION,
            "Seconds within which a stop is finished.",
            "S",
            "Orchestrators kill after 30.",
        ),
    ] = 25.0

    def given(self, name: str) -> bool:
        """Whether somebody set this, rather than the default standing."""
        return name in self.model_fields_set
