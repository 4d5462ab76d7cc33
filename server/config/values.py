"""The forms in which a value may be written, as flag, variable or TOML; each with its remedy.

Owns reading `on|off`, `off|MS`, `960x540`, comma lists and networks, and the words that tell what
a setting accepts. Knows no setting. Called by pydantic while it checks `Settings`.
"""

import re
from dataclasses import dataclass
from typing import Annotated, Any
from urllib.parse import urlsplit

from pydantic import BeforeValidator

from canvas.geometry import MAX_SIDE
from canvas.networks import Network, parse_address, parse_network

SWITCHES = {"on": True, "off": False}
MAX_PORT = 65_535
DEFAULT_PORTS = {"http": 80, "https": 443}


@dataclass(frozen=True, slots=True)
class Accepts:
    """What a setting takes, in words that complete "give …"."""

    words: str


@dataclass(frozen=True, slots=True)
class Size:
    """The sides of a board, in cells."""

    width: int
    height: int

    def __str__(self) -> str:
        return f"{self.width}x{self.height}"


@dataclass(frozen=True, slots=True)
class Endpoint:
    """An address to listen on."""

    host: str
    port: int

    def __str__(self) -> str:
        host = f"[{self.host}]" if ":" in self.host else self.host
        return f"{host}:{self.port}"


def read_endpoint(value: object) -> object:
    """Read `HOST:PORT`, an IPv6 address in brackets. Raises ValueError."""
    if isinstance(value, Endpoint):
        return value
    match = re.fullmatch(
        r"(?:\[([0-9A-Fa-f:.]{2,45})\]|([^\s:/\[\]]{1,255})):([0-9]{1,5})", str(value).strip()
    )
    if match is None or int(match[3]) > MAX_PORT:
        raise ValueError("is no host with a port")
    return Endpoint(match[1] or match[2], int(match[3]))


def read_on_off(value: object) -> object:
    """Read `on` or `off`; a TOML boolean passes. Raises ValueError."""
    if isinstance(value, bool):
        return value
    if isinstance(value, str) and value.strip().lower() in SWITCHES:
        return SWITCHES[value.strip().lower()]
    raise ValueError("is neither on nor off")


def read_whole(value: object) -> object:
    """Read a whole number written in digits. Raises ValueError (for booleans and 1.0 too)."""
    if isinstance(value, str) and re.fullmatch(r"[+-]?[0-9]{1,18}", value.strip()):
        return int(value)
    if isinstance(value, int) and not isinstance(value, bool):
        return value
    raise ValueError("is not a whole number")


def read_number(value: object) -> object:
    """Read a number with or without decimals. Raises ValueError."""
    if isinstance(value, str) and re.fullmatch(r"[+-]?[0-9]{1,12}(\.[0-9]{1,9})?", value.strip()):
        return float(value)
    if isinstance(value, int | float) and not isinstance(value, bool):
        return value
    raise ValueError("is not a number")


def read_off_or_whole(value: object) -> object:
    """Read `off` as 0, or a whole number. Raises ValueError."""
    if value is False or (isinstance(value, str) and value.strip().lower() == "off"):
        return 0
    return read_whole(value)


def read_list(value: object) -> object:
    """Read `a,b` or a TOML array of texts. Raises ValueError."""
    if isinstance(value, str):
        return tuple(part.strip() for part in value.split(",") if part.strip())
    if isinstance(value, list | tuple):
        return tuple(value)
    raise ValueError("is not a list")


def read_origins(value: object) -> object:
    """Read origins as browsers write them: scheme and host, no path. Raises ValueError."""
    return tuple(_origin(text) for text in _parts(value))


def read_cors_origins(value: object) -> object:
    """Read `*`, `off` or origins. Raises ValueError."""
    if value is False or (isinstance(value, str) and value.strip().lower() == "off"):
        return ()
    return ("*",) if _parts(value) == ("*",) else read_origins(value)


def read_networks(value: object) -> object:
    """Read networks or single addresses; IPv4 within IPv6 becomes IPv4. Raises ValueError."""
    return tuple(part if isinstance(part, Network) else _network(part) for part in _parts(value))


def read_key_address(value: object) -> object:
    """Read the address of a key set: https, or http on this machine. Raises ValueError."""
    try:
        parts = urlsplit(str(value).strip())
        host = parts.hostname or ""
        _ = parts.port
    except ValueError as error:
        raise ValueError("is no address of a web server") from error
    if parts.scheme not in DEFAULT_PORTS or not host or parts.username is not None:
        raise ValueError("is no address of a web server")
    parsed = parse_address(host)
    is_here = host == "localhost" or (parsed is not None and parsed.is_loopback)
    if parts.scheme == "http" and not is_here:
        raise ValueError("is not encrypted, so that anybody on the way could give you their keys")
    return parts._replace(fragment="").geturl()


def read_service_address(value: object) -> object:
    """Read the address of a service: a scheme and a host, perhaps a port. Raises ValueError."""
    text = str(value).strip()
    try:
        parts = urlsplit(text)
        _ = parts.port
    except ValueError as error:
        raise ValueError("is no address of a service") from error
    if parts.username is not None or parts.password is not None:
        raise ValueError("has a user or a password in it, which logs would show")
    if parts.scheme not in DEFAULT_PORTS or not parts.hostname or parts.query or parts.fragment:
        raise ValueError("is no address of a service")
    return text.rstrip("/")


def read_size(value: object) -> object:
    """Read `WIDTHxHEIGHT`, each side 1 to 8000. Raises ValueError."""
    match = re.fullmatch(r"([0-9]{1,5})[xX]([0-9]{1,5})", str(value).strip())
    if match is None:
        raise ValueError("is not a size")
    size = Size(int(match[1]), int(match[2]))
    if not all(1 <= side <= MAX_SIDE for side in (size.width, size.height)):
        raise ValueError("is no board that can be made")
    return size


def _parts(value: object) -> tuple[Any, ...]:
    parts = read_list(value)
    return parts if isinstance(parts, tuple) else ()


def _origin(text: object) -> str:
    parts = urlsplit(str(text))
    if parts.scheme not in DEFAULT_PORTS or not parts.hostname or parts.path not in {"", "/"}:
        raise ValueError(f"has {text}, which is no origin")
    host = f"[{parts.hostname}]" if ":" in parts.hostname else parts.hostname
    port = parts.port
    return f"{parts.scheme}://{host}" + (
        f":{port}" if port and port != DEFAULT_PORTS[parts.scheme] else ""
    )


def _network(text: object) -> Network:
    try:
        return parse_network(str(text))
    except ValueError as error:
        raise ValueError(f"has {text}, which is no network ({_reason(error)})") from error


def _reason(error: ValueError) -> str:
    return "it has host bits set" if "host bits" in str(error) else "it is not in CIDR form"


OnOff = Annotated[bool, BeforeValidator(read_on_off), Accepts("on or off")]
Whole = Annotated[int, BeforeValidator(read_whole)]
Number = Annotated[float, BeforeValidator(read_number)]
OffOrWhole = Annotated[int, BeforeValidator(read_off_or_whole)]
Origins = Annotated[
    tuple[str, ...],
    BeforeValidator(read_origins),
    Accepts("origins as a browser sends them, with commas between: https://example.org"),
]
CorsOrigins = Annotated[
    tuple[str, ...],
    BeforeValidator(read_cors_origins),
    Accepts("* for all, off for none, or origins with commas between: https://example.org"),
]
Networks = Annotated[
    tuple[Network, ...],
    BeforeValidator(read_networks),
    Accepts("networks with commas between: 10.0.0.0/8,2001:db8::/32"),
]
ServiceAddress = Annotated[str, BeforeValidator(read_service_address)]
KeyAddress = Annotated[str, BeforeValidator(read_key_address)]
Listen = Annotated[Endpoint, BeforeValidator(read_endpoint)]
BoardSize = Annotated[
    Size,
    BeforeValidator(read_size),
    Accepts(f"WIDTHxHEIGHT with sides from 1 to {MAX_SIDE}, such as 960x540"),
]
